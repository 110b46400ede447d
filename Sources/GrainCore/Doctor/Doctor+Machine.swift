import Foundation
import GrainServices
import HTTPTransport

extension Doctor {
  func imageToolFinding() -> Finding {
    guard let path = ImageResizer.installedProgram(doors.programs) else {
      return Finding(
        .imageTool, sound: false,
        "There is no image tool, so pictures over the limits are refused.",
        advice: "Install vipsthumbnail (libvips-tools) or ImageMagick.")
    }
    return Finding(.imageTool, "Large pictures are made smaller by \(path).", facts: ["path": path])
  }

  func trustStoreFinding() -> Finding {
    let count: Int
    do throws(HTTPError) {
      count = try TrustStore.count()
    } catch {
      count = 0
    }
    guard count > 0 else {
      return Finding(
        .trustStore, sound: false, "No trust anchors were found, so no server can be trusted.",
        advice: "Install ca-certificates, or point SSL_CERT_FILE at a bundle.")
    }
    return Finding(
      .trustStore, "Servers are trusted by \(count) anchors of this machine.",
      facts: ["anchors": "\(count)"])
  }

  func resolverFinding() async -> Finding {
    let names = [
      configuration.plcDirectory, configuration.handleResolver, configuration.appServer,
      configuration.signUpPDS,
    ].compactMap { URL(string: $0)?.host() }
    // A development configuration sends a name's requests elsewhere.
    let hosts = names.map { name in
      configuration.hosts[name].flatMap { URL(string: $0)?.host() } ?? name
    }
    var lost: [String] = []
    var isProxied = false
    for host in Set(hosts).sorted() {
      switch await HostCheck.look(up: host, within: .seconds(5)) {
      case .found: break
      case .leftToProxy: isProxied = true
      case .failed: lost.append(host)
      }
    }
    guard let first = lost.first else {
      return Finding(
        .resolvers,
        isProxied
          ? "Names are looked up by the proxy of the environment."
          : "The servers' names are found.",
        facts: ["hosts": "\(Set(hosts).count)"])
    }
    return Finding(
      .resolvers, sound: false,
      lost.count == 1
        ? "\(first) is not found by name."
        : "\(first) and \(lost.count - 1) more are not found by name.",
      advice: "Check the network connection and the name servers in /etc/resolv.conf.",
      facts: ["hosts": "\(Set(hosts).count)", "lost": lost.joined(separator: " ")])
  }
}
