package import SystemClients

extension ImageResizer {
  /// The programs this machine may have, in the order they are tried: `vipsthumbnail`,
  /// ImageMagick 7, ImageMagick 6. Whether one is there is looked up at each use.
  package static func programs(_ runner: ProgramRunner) -> [ImageResizer] {
    ImageProgram.all.map { program in
      ImageResizer(name: program.name) { request async throws(Failure) in
        guard let path = runner.find(program.name) else { throw .missing }
        try await ImageProgramRun(program: program, path: path, runner: runner, request: request)
          .run()
      }
    }
  }

  /// The path of the image program that would be used, for `doctor`; `nil` when there is none.
  package static func installedProgram(_ runner: ProgramRunner) -> String? {
    ImageProgram.all.lazy.compactMap { runner.find($0.name) }.first
  }
}
