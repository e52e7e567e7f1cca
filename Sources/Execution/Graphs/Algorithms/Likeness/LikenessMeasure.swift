#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What makes two vertices alike, said by their neighbours.
protocol LikenessMeasure: Sendable {
  /// Whether common neighbours count differently.
  static var weighsNeighbours: Bool { get }

  /// What a common neighbour of so many neighbours counts.
  static func weight(ofDegree degree: Int) -> Double

  /// How alike two vertices are that have so many neighbours.
  static func likeness(_ common: Int, _ weights: Double, _ one: Int, _ other: Int) -> Double
}

extension LikenessMeasure {
  static var weighsNeighbours: Bool { false }
  static func weight(ofDegree degree: Int) -> Double { 1 }
}

/// The share of the common neighbours of two vertices among the neighbours of either.
///
/// Source: P. Jaccard, "Étude comparative de la distribution florale" (Bulletin de la Société Vaudoise des Sciences Naturelles 37, 1901).
enum JaccardMeasure: LikenessMeasure {
  static func likeness(_ common: Int, _ weights: Double, _ one: Int, _ other: Int) -> Double {
    Double(common) / Double(one + other - common)
  }
}

/// The cosine of the angle between the rows of two vertices in the matrix of the graph.
///
/// Source: G. Salton and M. J. McGill, "Introduction to Modern Information Retrieval" (1983).
enum CosineMeasure: LikenessMeasure {
  static func likeness(_ common: Int, _ weights: Double, _ one: Int, _ other: Int) -> Double {
    Double(common) / (Double(one) * Double(other)).squareRoot()
  }
}

/// The share of the common neighbours of two vertices among the neighbours of the one that has fewer.
///
/// Source: D. Szymkiewicz, "Une contribution statistique à la géographie floristique" (Acta Societatis Botanicorum Poloniae 11, 1934).
enum OverlapMeasure: LikenessMeasure {
  static func likeness(_ common: Int, _ weights: Double, _ one: Int, _ other: Int) -> Double {
    Double(common) / Double(min(one, other))
  }
}

/// The common neighbours of two vertices, each of which counts the less the more neighbours it has.
///
/// Source: L. A. Adamic and E. Adar, "Friends and Neighbors on the Web" (Social Networks 25, 2003).
enum AdamicAdarMeasure: LikenessMeasure {
  static var weighsNeighbours: Bool { true }
  static func weight(ofDegree degree: Int) -> Double { 1 / log(Double(degree)) }
  static func likeness(_ common: Int, _ weights: Double, _ one: Int, _ other: Int) -> Double {
    weights
  }
}
