import CredentialVault
import GrainServices
import SystemClients

extension Doctor {
  func keyFinding(_ state: StoreState) async -> Finding {
    switch state {
    case .inUse(let holder):
      return Finding(
        .key, "The key was not looked for, because a core\(Self.name(holder)) has it in use.")
    case .unreadable:
      return Finding(
        .key, sound: false, "Where the key lies is not known, because the store cannot be read.",
        advice: "See the account store above.")
    case .failed(.keyWithoutVault(let provider)):
      let loss = Self.words(.keyWithoutVault(provider: provider))
      return Finding(
        .key, sound: false,
        provider == "file"
          ? "There is a key file, but the account store it belongs to is gone."
          : "There is a key, but \(loss).",
        advice: Self.setAsideAdvice, facts: ["place": provider])
    case .failed:
      return Finding(
        .key, sound: false, "Where the key lies is not known, because the store cannot be opened.",
        advice: "See the account store above.")
    case .missing: return await futureKey()
    case .examined(let examination):
      guard let provider = examination.provider else { return await futureKey() }
      if let failure = examination.keyFailure { return missingKey(provider, failure) }
      return Finding(
        .key, Self.protection(provider), advice: better(than: provider), facts: ["place": provider])
    }
  }

  /// What a place protects against.
  private static func protection(_ provider: String) -> String {
    switch provider {
    case "command":
      "The key comes from the key command, so the data folder alone opens nothing."
    case "keyring":
      "The key lies in the desktop's key store, so a copied disk or backup opens nothing without "
        + "the login password."
    default:
      "The key lies in a file beside the store, which keeps other users and a copied database out, "
        + "but not a program that runs as you."
    }
  }

  private func better(than provider: String) -> String? {
    guard provider == "file", doors.programs.find("secret-tool") != nil else {
      return provider == "file"
        ? "For more, install libsecret-tools and give the key to the desktop's key store with "
          + "“grain-core doctor --rewrap keyring”." : nil
    }
    return "For more, give it to the desktop's key store with “grain-core doctor --rewrap keyring”."
  }

  private func missingKey(_ provider: String, _ failure: VaultError) -> Finding {
    let advice =
      switch failure {
      case .locked: "Unlock the key store, then try again."
      case .keyMissing where provider == "command" && !doors.keys.hasCommand:
        "Give the --key-command that this store was made with."
      case .keyUnavailable: "Mend that, then try again; the accounts wait for it."
      default:
        "Put the key back from a backup; if it is lost, move the store aside with “grain-core "
          + "doctor --set-aside-store” and sign in again."
      }
    return Finding(
      .key, sound: false, "The accounts cannot be opened: \(Self.words(failure)).", advice: advice,
      facts: ["place": provider])
  }

  /// Where the key of a store would go that does not exist yet. Nothing is made.
  private func futureKey() async -> Finding {
    var reasons: [String] = []
    for provider in doors.keys.providers(keyFile: keyFilePath) {
      do throws(VaultError) {
        _ = try await provider.load(vault: "none")
        let name = provider.name
        return Finding(
          .key, "There is no key yet; this would hold: " + Self.protection(name).lowercasedFirst,
          advice: name == "file"
            ? reasons.first.map { "It is not kept better because \($0)." } : nil,
          facts: ["place": name])
      } catch {
        reasons.append(Self.words(error))
        if provider.isMandatory {
          return Finding(
            .key, sound: false, "There is no key yet, and none can be had: \(Self.words(error)).",
            advice: "Mend the key command; nothing takes its place.",
            facts: ["place": provider.name])
        }
      }
    }
    return Finding(
      .key, sound: false, "There is no place for a key: \(reasons.joined(separator: "; ")).",
      advice: "Check the data folder.")
  }
}

extension String {
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
