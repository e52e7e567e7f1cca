import Foundation

/// Medians against what differs between records, the size or the number of threads: a picture a workload.
struct CurveCharts {
  enum Axis { case size, threads }

  /// Rising along the axis, alike in all else.
  let records: [BenchRecord]
  let axis: Axis

  /// The curves that a set of records has: those of the sizes, of the number of threads that most have been run with;
  /// and those of the threads, at the largest size that has been run with several.
  static func all(_ records: [BenchRecord]) -> [CurveCharts] {
    let sorted = records.sorted {
      ($0.settings.enrolments, $0.settings.threads) < ($1.settings.enrolments, $1.settings.threads)
    }
    func widest(
      _ key: (BenchSettings) -> Int, _ axis: Axis, _ place: @escaping (BenchSettings) -> Int
    ) -> CurveCharts? {
      let sets = Dictionary(grouping: sorted) { key($0.settings) }.map { value, records in
        // Of several records of one point the last counts.
        let points = Dictionary(records.map { (place($0.settings), $0) }) { $1 }
        return (value, points.sorted { $0.key < $1.key }.map(\.value))
      }
      let most = sets.max { ($0.1.count, $0.0) < ($1.1.count, $1.0) }?.1 ?? []
      return most.count > 1 ? CurveCharts(records: most, axis: axis) : nil
    }
    return [
      widest({ $0.threads }, .size) { $0.enrolments },
      widest({ $0.enrolments }, .threads) { $0.threads },
    ].compactMap(\.self)
  }

  /// Where a record stands on the axis.
  func place(_ record: BenchRecord) -> Double {
    switch axis {
    case .size: Double(max(1, record.settings.enrolments))
    case .threads: Double(record.settings.threads)
    }
  }

  /// What a record's column or tick is called.
  func label(_ record: BenchRecord) -> String {
    switch axis {
    case .size: record.settings.size
    case .threads: Quantity.threads(record.settings.threads)
    }
  }

  /// One engine's medians on one workload, nil where there is none.
  struct Row {
    let engine: BenchEngine
    let medians: [Double?]
  }

  /// Junction, the peers, and the limit where at every point the loop is no slower than Junction.
  func rows(_ id: String) -> [Row] {
    let standings = records.map { record in
      record.results.first { $0.id == id }.map(record.standing)
    }
    guard let last = records.last else { return [] }
    var rows = last.engines.filter { $0.kind != .limit }.map { engine in
      Row(
        engine: engine,
        medians: standings.map { standing in
          standing?.result.measurement(of: engine.id)?.rightSamples?.p50
        })
    }
    let limits = standings.map { $0?.limit?.p50 }
    let isLimit = zip(standings, limits).allSatisfy { $0?.junction == nil || $1 != nil }
    if isLimit { rows.append(Row(engine: .limit, medians: limits)) }
    return rows.filter { row in row.medians.contains { $0 != nil } }
  }

  func markup(_ result: BenchResult) -> String? {
    let lines = rows(result.id).compactMap { row -> LineChart.Line? in
      let points = zip(records, row.medians).compactMap { record, median in
        median.map { (x: place(record), y: $0) }
      }
      return points.count > 1
        ? LineChart.Line(engine: row.engine, points: points, isMarked: true) : nil
    }
    guard lines.contains(where: { $0.engine.kind == .junction }) else { return nil }
    let scale = LogScale(spanning: records.map(place))
    return LineChart(
      title: result.id, subtitle: result.title,
      description: lines.map(sentence).joined(separator: "; "), lines: lines,
      ticks: records.map { record in
        LineChart.Tick(
          x: scale.place(place(record)),
          label: axis == .size ? record.settings.size : "\(record.settings.threads)",
          note: axis == .size ? Quantity.short(record.settings.enrolments) : "")
      },
      placeOfX: scale.place
    ).markup()
  }

  private func sentence(_ line: LineChart.Line) -> String {
    "\(line.engine.name): "
      + line.points.map { point in
        "\(Quantity.time(point.y)) at \(Quantity.grouped(Int(point.x)))"
      }.joined(separator: ", ")
  }
}
