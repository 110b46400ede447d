import Glibc
import SystemClients

extension Doctor {
  /// Modes, owner, room to write, and who works there.
  func folderFinding() -> Finding {
    let survey: PrivateFiles.Survey
    do throws(FileError) {
      survey = try PrivateFiles.survey(dataFolder)
    } catch {
      if case .notFound = error {
        return Finding(
          .dataFolder, "There is no data folder yet; the first start makes \(dataFolder).",
          facts: ["path": dataFolder])
      }
      return Finding(
        .dataFolder, sound: false, "The data folder \(dataFolder) cannot be read.",
        advice: "Check its permissions, or choose another with --data-dir.",
        facts: ["path": dataFolder])
    }
    var facts = ["path": dataFolder, "files": "\(survey.files)"]
    if let first = survey.foreign.first {
      return Finding(
        .dataFolder, sound: false, "\(first) belongs to another user, so no core starts here.",
        advice: "Give it back with chown, or choose another folder with --data-dir.", facts: facts)
    }
    if access(dataFolder, W_OK) != 0 {
      return Finding(
        .dataFolder, sound: false, "Nothing can be written in the data folder \(dataFolder).",
        advice: "Check its permissions and whether its disk is read-only.", facts: facts)
    }
    if let first = survey.loose.first {
      return Finding(
        .dataFolder, sound: false, "Others may look into the data folder: \(first) is not private.",
        advice: "Start the core once; it makes everything in the folder private.", facts: facts)
    }
    do throws(FileError) {
      try FolderLock.acquireToLook(dataFolder)?.release()
    } catch {
      if case .locked(let holder) = error {
        facts["processId"] = holder.map { "\($0)" }
        return Finding(.dataFolder, "A core\(Self.name(holder)) works in it.", facts: facts)
      }
    }
    return Finding(
      .dataFolder, "The data folder is private, and no core works in it.", facts: facts)
  }

  static func name(_ holder: Int32?) -> String { holder.map { " (process \($0))" } ?? "" }
}
