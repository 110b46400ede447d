import Foundation
import HTTPTransport
import Sandbox
import StrictJSON
import SystemClients

/// The person in front of a scripted shell: walks the sandbox's sign-in pages, and has photographs.
actor ScriptedPerson {
  private let http = HTTPClient.live(
    NetworkPolicy(allowInsecureLoopback: true), userAgent: "grain-script", clock: .live)
  private let folder: String
  private var nextPhoto = 0
  private var newAccounts = 0

  private static let password = "sandbox"

  /// - Parameter folder: where photographs are put when they are asked for; it exists.
  init(folder: String) {
    self.folder = folder
  }

  /// What a person may do with a sign-in page, by the name of the secret that comes of it.
  enum Wish: String {
    /// Signs in, or makes an account where the page is for that, and allows everything.
    case approve = "callbackUrl"
    /// Signs in and says no.
    case deny = "deniedCallbackUrl"
    /// Leaves before signing in.
    case cancel = "cancelledCallbackUrl"
  }

  /// Walks the pages from where the last `auth.present` leads and gives back the address they end at;
  /// without a handle, on a page for new accounts.
  func callback(_ wish: Wish, page: String, handle: String?) async throws(StepFailure) -> String {
    guard let url = URL(string: page) else {
      throw StepFailure("there is no page to walk: \(page)")
    }
    switch url.path() {
    case "/authorize": return try await platriumCallback(wish, page: url)
    case "/web/v1/login": return try await pixivCallback(page: url)
    default: break
    }
    let visitor = SandboxVisitor(http: http)
    do throws(SandboxVisitor.Failure) {
      switch wish {
      case .approve:
        if let handle {
          return try await visitor.approve(
            authorizationURL: url, handle: handle, password: Self.password
          ).absoluteString
        }
        newAccounts += 1
        return try await visitor.signUp(
          authorizationURL: url, handle: "new\(newAccounts).signup.test",
          email: "new\(newAccounts)@example.com", password: Self.password
        ).absoluteString
      case .deny:
        return try await visitor.deny(
          authorizationURL: url, handle: handle ?? "", password: Self.password
        ).absoluteString
      case .cancel: return try await visitor.cancel(authorizationURL: url).absoluteString
      }
    } catch {
      throw StepFailure("the sign-in pages did not lead back: \(error)")
    }
  }

  private func platriumCallback(
    _ wish: Wish, page: URL
  ) async throws(StepFailure) -> String {
    let visitor = PlatriumVisitor(http: http)
    do throws(PageWalkFailure) {
      return wish == .approve
        ? try await visitor.approve(page).absoluteString
        : try await visitor.deny(page).absoluteString
    } catch {
      throw StepFailure("the pages of the Platrium service did not lead back: \(error)")
    }
  }

  private func pixivCallback(page: URL) async throws(StepFailure) -> String {
    do throws(PageWalkFailure) {
      return try await PixivVisitor(http: http).signIn(page).last?.absoluteString ?? ""
    } catch {
      throw StepFailure("the pages of the Pixiv service did not lead back: \(error)")
    }
  }

  /// Follows a callback to the core's own loopback address, as a browser does by itself.
  func follow(_ callback: String) async throws(StepFailure) {
    guard let url = URL(string: callback) else { return }
    do throws(HTTPError) {
      _ = try await http.send(HTTPRequest(method: "GET", url: url))
    } catch {
      throw StepFailure("the core did not take the callback at its address: \(error)")
    }
  }

  /// A photograph's path: `photo1` to `photo3` by name, any other name in turn.
  func photo(_ name: String) throws(StepFailure) -> String {
    let samples = SamplePhotos.all
    var index = Int(name.hasPrefix("photo") ? name.dropFirst(5) : "").map { $0 - 1 } ?? -1
    if !samples.indices.contains(index) {
      index = nextPhoto % samples.count
      nextPhoto += 1
    }
    let path = "\(folder)/\(samples[index].fileName)"
    do throws(FileError) {
      try PrivateFiles.write(samples[index].bytes, to: path)
    } catch {
      throw StepFailure("\(path) cannot be written")
    }
    return path
  }
}
