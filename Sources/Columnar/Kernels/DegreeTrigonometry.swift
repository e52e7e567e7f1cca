#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Trigonometry in degrees, exact wherever the exact value is a binary fraction.
///
/// Each function is brought into the first quadrant, and there computed relative to a place at which its value
/// is known (30, 45 or 60 degrees), so that rounding errors of radians cancel out at those places.
enum DegreeTrigonometry {
  private static func radians(_ degrees: Double) -> Double { degrees * (Double.pi / 180) }

  private static let sineOf30 = sin(radians(30))
  private static let cosineGapOf60 = 1 - cos(radians(60))
  private static let tangentOf45 = quadrantSine(45) / quadrantCosine(45)
  private static let cotangentOf45 = quadrantCosine(45) / quadrantSine(45)
  private static let arcSineOfHalf = asin(0.5)
  private static let arcCosineOfHalf = acos(0.5)
  private static let arcTangentOfOne = atan(1.0)

  private static func sineTo30(_ angle: Double) -> Double { sin(radians(angle)) / sineOf30 / 2 }

  private static func cosineTo60(_ angle: Double) -> Double {
    1 - (1 - cos(radians(angle))) / cosineGapOf60 / 2
  }

  /// The sine of 0 to 90 degrees.
  private static func quadrantSine(_ angle: Double) -> Double {
    angle <= 30 ? sineTo30(angle) : cosineTo60(90 - angle)
  }

  /// The cosine of 0 to 90 degrees.
  private static func quadrantCosine(_ angle: Double) -> Double {
    angle <= 60 ? cosineTo60(angle) : sineTo30(90 - angle)
  }

  /// An angle of the first quadrant, and by what signs sine and cosine differ there.
  private static func folded(_ degrees: Double) -> (angle: Double, sine: Double, cosine: Double) {
    var angle = degrees.truncatingRemainder(dividingBy: 360)
    var sine = 1.0
    var cosine = 1.0
    if angle < 0 {
      angle = -angle
      sine = -sine
    }
    if angle > 180 {
      angle = 360 - angle
      sine = -sine
    }
    if angle > 90 {
      angle = 180 - angle
      cosine = -cosine
    }
    return (angle, sine, cosine)
  }

  static func sine(_ degrees: Double) -> Double {
    let (angle, sign, _) = folded(degrees)
    return sign * quadrantSine(angle)
  }

  static func cosine(_ degrees: Double) -> Double {
    let (angle, _, sign) = folded(degrees)
    return sign * quadrantCosine(angle)
  }

  static func tangent(_ degrees: Double) -> Double {
    let (angle, sine, cosine) = folded(degrees)
    let ratio = quadrantSine(angle) / quadrantCosine(angle)
    // Adding zero turns minus zero into zero.
    return sine * cosine * (ratio / tangentOf45) + 0
  }

  static func cotangent(_ degrees: Double) -> Double {
    let (angle, sine, cosine) = folded(degrees)
    let ratio = quadrantCosine(angle) / quadrantSine(angle)
    return sine * cosine * (ratio / cotangentOf45) + 0
  }

  /// The arc sine of 0 to 1.
  private static func quadrantArcSine(_ value: Double) -> Double {
    value <= 0.5
      ? asin(value) / arcSineOfHalf * 30 : 90 - acos(value) / arcCosineOfHalf * 60
  }

  /// The arc cosine of 0 to 1.
  private static func quadrantArcCosine(_ value: Double) -> Double {
    value <= 0.5
      ? 90 - asin(value) / arcSineOfHalf * 30 : acos(value) / arcCosineOfHalf * 60
  }

  static func arcSine(_ value: Double) -> Double {
    value >= 0 ? quadrantArcSine(value) : -quadrantArcSine(-value)
  }

  static func arcCosine(_ value: Double) -> Double {
    value >= 0 ? quadrantArcCosine(value) : 90 + quadrantArcSine(-value)
  }

  static func arcTangent(_ value: Double) -> Double { atan(value) / arcTangentOfOne * 45 }

  static func arcTangent(y: Double, x: Double) -> Double { atan2(y, x) / arcTangentOfOne * 45 }
}
