import JunctionShell

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

exit(ShellMain.run(Array(CommandLine.arguments.dropFirst())))
