/// What a word in the text of a date or time means.
enum DateTimeWord {
  /// A label for the number that follows it, as in `y2001m02d04` or `J2451187`.
  enum Label { case year, month, day, hour, minute, second, julian, time, other }

  case month(Int), weekday, filler
  case label(Label)
  /// `T` between date and time.
  case timeFollows
  case meridiem(isAfternoon: Bool), era(isBefore: Bool)
  /// `dst` behind a zone.
  case daylight
  case now, epoch, infinity, negativeInfinity, midnightUTC
  /// `today` with 0, `tomorrow` with 1, `yesterday` with -1.
  case day(Int)

  /// How many bytes of a word count.
  private static let significantCount = 10

  private static let words: [String: DateTimeWord] = {
    var words: [String: DateTimeWord] = [
      "-infinity": .negativeInfinity, "ad": .era(isBefore: false), "allballs": .midnightUTC,
      "am": .meridiem(isAfternoon: false), "at": .filler, "bc": .era(isBefore: true),
      "d": .label(.day), "dow": .label(.other), "doy": .label(.other), "dst": .daylight,
      "epoch": .epoch, "h": .label(.hour), "infinity": .infinity, "isodow": .label(.other),
      "isoyear": .label(.other), "j": .label(.julian), "jd": .label(.julian),
      "julian": .label(.julian), "m": .label(.month), "mm": .label(.minute), "now": .now,
      "on": .filler, "pm": .meridiem(isAfternoon: true), "s": .label(.second),
      "t": .timeFollows, "today": .day(0), "tomorrow": .day(1), "y": .label(.year),
      "yesterday": .day(-1), "sept": .month(9),
    ]
    for (index, name) in DateTimeNames.months.enumerated() {
      words[name.lowercased()] = .month(index + 1)
      words[String(name.lowercased().prefix(3))] = .month(index + 1)
    }
    for name in DateTimeNames.days {
      words[name.lowercased()] = .weekday
      words[String(name.lowercased().prefix(3))] = .weekday
    }
    for name in ["tues", "weds", "thur", "thurs"] { words[name] = .weekday }
    return words
  }()

  /// What a word in lower case means; nil for one that is unknown, or the name of a zone.
  static func core(_ bytes: [UInt8]) -> DateTimeWord? {
    words[String(decoding: bytes.prefix(significantCount), as: UTF8.self)]
  }
}

/// The English names of months and of days of the week.
enum DateTimeNames {
  static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
  static let days = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]
  static let shortMonths = months.map { String($0.prefix(3)) }
  static let shortDays = days.map { String($0.prefix(3)) }
}
