#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The ends of output: what could not be written is told, and is an error.
extension Shell {
  /// Hands everything printed so far to the system.
  func flushOutputs() {
    standardOutput.flush()
    redirected?.flush()
    tell(lossOf: standardOutput.takeFailure())
    tell(lossOf: redirected?.takeFailure())
    errorOutput.flush()
  }

  /// Ends what `-o` or `\o` put in the place of standard output.
  func endRedirection() {
    let loss = redirected?.finish()
    redirected = nil
    tell(lossOf: loss)
  }

  /// Tells that output was lost; nobody is told of a pipe whose reader has gone.
  private func tell(lossOf reason: String?) {
    guard let reason else { return }
    hasLostOutput = true
    errorCount += 1
    errorOutput.writeLine("\(place)could not write the output: \(reason)")
    errorOutput.flush()
    if variables.isOn("ON_ERROR_STOP") && !isInteractive { exitStatus = exitStatus ?? 3 }
  }
}

/// Makes sure that the numbers of standard input, output and error belong to nothing else: a file of a database that is
/// opened later must not get the number of an output that was closed.
func holdStandardDescriptors() {
  for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
    // What is opened gets the lowest number, and can be used in the other direction only: to use it stays an error.
    unsafe _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
  }
}
