// swift-tools-version: 6.2
import PackageDescription

/// One set of rules for every target: Swift 6 mode, strict memory safety, warnings as errors.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

/// A layer of the engine; each imports only layers that stand before it.
func layer(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// The tests of one target, with access to its package-level declarations.
func tests(of name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.byName(name: name)] + dependencies,
    swiftSettings: settings)
}

let package = Package(
  name: "Junction",
  platforms: [.macOS(.v26)],
  products: [
    .library(name: "Junction", targets: ["Junction"]),
    .library(name: "JunctionFoundation", targets: ["JunctionFoundation"]),
    .executable(name: "junction", targets: ["JunctionCLI"]),
    .executable(name: "junction-bench", targets: ["JunctionBench"]),
  ],
  targets: [
    layer("Diagnostics"),
    layer("SQLSyntax", ["Diagnostics"]),
    layer("Columnar", ["Diagnostics"]),
    layer("Codecs", ["Diagnostics", "Columnar"]),
    layer("DelimitedText", ["Diagnostics", "Columnar", "Codecs"]),
    layer("Parquet", ["Diagnostics", "Columnar", "Codecs"]),
    layer("Storage", ["Diagnostics", "Columnar"]),
    layer("Durability", ["Diagnostics", "Columnar", "Storage"]),
    layer("Catalog", ["Diagnostics", "SQLSyntax", "Columnar", "Storage", "Durability"]),
    layer("Planning", ["Diagnostics", "SQLSyntax", "Columnar", "Storage", "Catalog"]),
    layer("Translation", ["Diagnostics", "SQLSyntax", "Columnar", "Catalog", "Planning"]),
    layer("Execution", ["Diagnostics", "SQLSyntax", "Columnar", "Storage", "Catalog", "Planning"]),
    layer(
      "Junction",
      [
        "Diagnostics", "SQLSyntax", "Columnar", "Codecs", "DelimitedText", "Parquet", "Storage",
        "Durability", "Catalog", "Planning", "Translation", "Execution",
      ]),
    layer("JunctionFoundation", ["Diagnostics", "Junction"]),
    layer("JunctionShell", ["Diagnostics", "SQLSyntax", "Columnar", "Catalog", "Junction"]),
    .executableTarget(
      name: "JunctionCLI", dependencies: ["JunctionShell"], swiftSettings: settings),
    .executableTarget(
      name: "JunctionBench", dependencies: ["Diagnostics", "Junction"],
      path: "Benchmarks/JunctionBench",
      swiftSettings: settings),
    tests(of: "Diagnostics"),
    tests(of: "SQLSyntax", ["Diagnostics"]),
    tests(of: "Columnar", ["Diagnostics"]),
    tests(of: "Codecs", ["Diagnostics", "Columnar"]),
    tests(of: "DelimitedText", ["Diagnostics", "Columnar", "Codecs"]),
    .testTarget(
      name: "ParquetTests", dependencies: ["Parquet", "Diagnostics", "Columnar", "Codecs"],
      exclude: ["Files"], swiftSettings: settings),
    tests(of: "Storage", ["Diagnostics", "Columnar"]),
    .target(
      name: "SimulatedDisk", dependencies: ["Columnar", "Durability"], path: "Tests/SimulatedDisk",
      swiftSettings: settings),
    .target(
      name: "Hunting",
      dependencies: [
        "Diagnostics", "Columnar", "Durability", "Catalog", "Junction", "SimulatedDisk",
      ],
      path: "Tests/Hunting", swiftSettings: settings),
    .executableTarget(
      name: "JunctionProof",
      dependencies: [
        "Diagnostics", "Columnar", "Durability", "Catalog", "Junction", "SimulatedDisk", "Hunting",
      ],
      path: "Tests/JunctionProof", swiftSettings: settings),
    tests(of: "Durability", ["Diagnostics", "Columnar", "SimulatedDisk"]),
    tests(of: "Catalog", ["Diagnostics", "SQLSyntax", "Columnar", "Storage", "Durability"]),
    tests(of: "Planning", ["Diagnostics", "SQLSyntax", "Columnar", "Storage", "Catalog"]),
    tests(
      of: "Execution",
      ["Diagnostics", "SQLSyntax", "Columnar", "Storage", "Catalog", "Planning"]),
    tests(
      of: "Junction",
      ["Diagnostics", "SQLSyntax", "Columnar", "Storage", "Durability", "Catalog", "SimulatedDisk"]),
    tests(of: "JunctionFoundation", ["Diagnostics", "Junction"]),
    tests(of: "JunctionShell", ["Diagnostics", "SQLSyntax", "Columnar", "Catalog", "Junction"]),
    .testTarget(
      name: "JunctionCLITests", dependencies: ["JunctionCLI", "JunctionShell"],
      swiftSettings: settings),
    tests(of: "JunctionBench"),
    .testTarget(
      name: "HuntingTests",
      dependencies: ["Hunting", "Diagnostics", "Junction", "SimulatedDisk"],
      swiftSettings: settings),
    .testTarget(
      name: "Examples", dependencies: ["Junction", "JunctionFoundation"], swiftSettings: settings),
    .testTarget(name: "StyleTests", swiftSettings: settings),
  ]
)
