import Foundation

/// Which workloads run, and over which kind of school.
enum WorkloadGroup: String, CaseIterable {
  /// The benchmark itself.
  case school
  /// Everyday questions over a school whose rows have attributes.
  case everyday
  /// Variants of the benchmark's queries that differ from them in one thing each.
  case near

  var hasAttributes: Bool { self == .everyday }

  /// The peers that are asked; Ladybug's questions would all have to be put in its own language.
  var peers: [String] {
    self == .school ? RunOptions.peerNames : ["sqlite", "duckdb", "hyper"]
  }

  /// The folder of its workload files.
  func folder(home: String) -> String {
    self == .school ? "\(home)/Workloads" : "\(home)/Workloads/\(rawValue)"
  }

  /// The folder of the workload files that know its data: near variants use the benchmark's.
  func dataFolder(home: String) -> String {
    (hasAttributes ? self : .school).folder(home: home)
  }

  /// The workloads chosen, in the order of tables: near variants behind their originals.
  func workloads(
    home: String, size: RunOptions.Size, only: [String]
  ) throws(BenchError) -> [Workload] {
    let all = try WorkloadParser.parseFolder(folder(home: home))
    func isNamed(_ id: String) -> Bool {
      only.contains { id == $0 || id.hasPrefix("\($0)-") || id.hasPrefix("\($0).") }
    }
    var chosen = all.filter { workload in
      let fits = workload.sizes.isEmpty || workload.sizes.contains(size.rawValue)
      return (only.isEmpty || isNamed(workload.id)) && (fits || only.contains(workload.id))
    }
    if self == .near {
      let originals = Set(chosen.compactMap(\.original))
      chosen += try WorkloadParser.parseFolder(Self.school.folder(home: home))
        .filter { originals.contains($0.id) }
    }
    if chosen.isEmpty { throw BenchError("there is no workload \(only.joined(separator: ", "))") }
    return chosen.sorted { WorkloadParser.place($0) < WorkloadParser.place($1) }
  }
}
