/// One record as a table for a terminal of a certain width.
struct TerminalReport {
  let record: BenchRecord
  var width = 120

  private struct Column {
    var heading: String
    var cells: [String]
    var isLeft = false
    var width: Int { ([heading] + cells).map(\.unicodeScalars.count).max() ?? 0 }
  }

  var text: String {
    var lines = heading
    lines += [""] + table
    lines += [""] + legend
    let notes = troubles + record.notes + [record.caution].compactMap(\.self)
    if !notes.isEmpty { lines += [""] + notes }
    if !memoryTable.isEmpty { lines += [""] + memoryTable }
    lines += [""] + record.summary.flatMap { wrapped($0) }
    return lines.joined(separator: "\n") + "\n"
  }

  private var heading: [String] {
    [
      "Size \(record.settings.size): \(record.dataSentence)",
      record.machineSentence + record.bandwidthSentence.map { ". \($0)" }.orEmpty,
      "\(record.date), commit \(record.commit), \(record.build), "
        + "\(record.settings.threads) threads",
    ].flatMap { wrapped($0) }
  }

  private var legend: [String] {
    wrapped(record.remarkSentence)
      + record.missingEngines.flatMap { engine in
        wrapped(
          "\(engine.name) is missing: \(engine.missingReason.orEmpty)"
            + engine.installCommand.map { "; install it with \($0)" }.orEmpty)
      }
  }

  /// What went wrong, a line each.
  private var troubles: [String] {
    record.results.flatMap { result in
      result.measurements.flatMap { measurement -> [String] in
        switch measurement.status {
        case .ok, .missing, .unsupported: return []
        case .wrong, .error, .timeout:
          let name = record.engines.first { $0.id == measurement.engine }?.name
          return wrapped(
            "\(result.id), \(name ?? measurement.engine): \(measurement.statusWord)"
              + measurement.message.map { ": \($0)" }.orEmpty)
        }
      }
    }
  }

  // MARK: - The table

  private var table: [String] {
    let standings = record.standings
    let ids = Column(heading: "", cells: standings.map(\.result.id), isLeft: true)
    let titles = Column(heading: "", cells: standings.map(\.result.title), isLeft: true)
    let engines = record.presentEngines.map { engine in
      Column(
        heading: engine.shortName, cells: standings.map { Self.cell($0.result, engine.id) })
    }
    let ratios = record.remarks.map { remark in
      Column(heading: remark.heading, cells: standings.map(remark.cell))
    }
    let full = [ids] + engines + ratios
    if let lines = fitted(ids, titles, engines + ratios) { return lines }
    if measured(full) <= width { return rendered(full) }
    // Too narrow for every engine: Junction, the best peer and the limit tell the most.
    let short = [
      Column(heading: "Junction", cells: standings.map { $0.junction.map(Self.median).orEmpty }),
      Column(
        heading: "best peer",
        cells: standings.map { standing in
          standing.bestPeer.map { "\($0.engine.name) \(Self.median($0.samples))" }.orEmpty
        }),
      Column(heading: "limit", cells: standings.map { $0.limit.map(Self.median).orEmpty }),
    ]
    let few = short + ratios.prefix(2)
    return fitted(ids, titles, few) ?? rendered([ids] + few)
  }

  private static func median(_ samples: SampleSummary) -> String { Quantity.time(samples.p50) }

  private static func cell(_ result: BenchResult, _ engine: String) -> String {
    guard let measurement = result.measurement(of: engine) else { return "" }
    return measurement.rightSamples.map(median) ?? measurement.statusWord
  }

  /// The table with titles cut to what room is left; nil where that is too little to be of use.
  private func fitted(_ ids: Column, _ titles: Column, _ others: [Column]) -> [String]? {
    let room = width - measured([ids] + others) - 2
    guard room >= min(16, titles.width) else { return nil }
    var titles = titles
    titles.cells = titles.cells.map { title in
      let scalars = title.unicodeScalars
      return scalars.count <= room ? title : String(scalars.prefix(room - 1)) + "…"
    }
    return rendered([ids, titles] + others)
  }

  private func measured(_ columns: [Column]) -> Int {
    columns.map(\.width).reduce(0, +) + 2 * (columns.count - 1)
  }

  private func rendered(_ columns: [Column]) -> [String] {
    let count = columns.map(\.cells.count).max() ?? 0
    let rule = String(repeating: "─", count: measured(columns))
    let lines = (-1..<count).map { row in
      let cells = columns.map { column in
        let cell = row < 0 ? column.heading : column.cells[row]
        let padding = String(repeating: " ", count: column.width - cell.unicodeScalars.count)
        return column.isLeft ? cell + padding : padding + cell
      }
      return cells.joined(separator: "  ").trimmedEnd
    }
    return [lines[0], rule] + lines.dropFirst()
  }

  private var memoryTable: [String] {
    let engines = record.presentEngines.filter {
      $0.loadSeconds != nil || $0.residentBytesAfterLoad != nil
    }
    guard !engines.isEmpty else { return [] }
    return rendered([
      Column(heading: "", cells: engines.map(\.name), isLeft: true),
      Column(heading: "load", cells: engines.map { $0.loadSeconds.map(Quantity.time).orEmpty }),
      Column(
        heading: "CPU", cells: engines.map { $0.loadCPUSeconds.map(Quantity.time).orEmpty }),
      Column(
        heading: "memory",
        cells: engines.map {
          $0.residentBytesAfterLoad.map { Quantity.bytes(Double($0)) }.orEmpty
        }),
      Column(
        heading: "peak",
        cells: engines.map { $0.peakResidentBytes.map { Quantity.bytes(Double($0)) }.orEmpty }),
      Column(
        heading: "bytes an enrolment",
        cells: engines.map { $0.bytesPerEnrolment.map(Quantity.digits).orEmpty }),
    ])
  }

  /// A sentence over as many lines as it takes, the later ones indented.
  private func wrapped(_ sentence: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in sentence.split(separator: " ") {
      if !line.isEmpty && line.unicodeScalars.count + word.unicodeScalars.count + 1 > width {
        lines.append(line)
        line = "  \(word)"
      } else {
        line += line.isEmpty ? "\(word)" : " \(word)"
      }
    }
    return line.isEmpty ? lines : lines + [line]
  }
}

extension String? {
  /// Itself, or nothing.
  var orEmpty: String { self ?? "" }
}

extension String {
  fileprivate var trimmedEnd: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
