/// The abbreviations of time zones that PostgreSQL knows in any session.
package enum ZoneAbbreviation {
  /// What an abbreviation means.
  enum Meaning {
    /// So many seconds east of Greenwich.
    case fixed(Int, isDaylight: Bool)
    /// What the clocks of a place showed under this name at the time.
    case changing(String)
  }

  /// Seconds east of Greenwich of standard times.
  private static let standard = [
    "acst": 34200, "act": -18000, "acwst": 31500, "aest": 36000, "aft": 16200,
    "akst": -32400, "almt": 21600, "amt": -14400, "ast": -14400, "awst": 28800,
    "azot": -3600, "bdt": 21600, "bnt": 28800, "bort": 28800, "bot": -14400, "bra": -10800,
    "brt": -10800, "btt": 21600, "cast": 34200, "cct": 28800, "cet": 3600, "chast": 45900,
    "chut": 36000, "cot": -18000, "cst": -21600, "cxt": 25200, "ddut": 36000, "eat": 10800,
    "eet": 7200, "egt": -3600, "est": -18000, "fet": 10800, "fjt": 43200, "fnt": -7200,
    "galt": -21600, "gamt": -32400, "gft": -10800, "gilt": 43200, "gmt": 0, "hkt": 28800,
    "hst": -36000, "ict": 25200, "irt": 12600, "ist": 7200, "jayt": 32400, "jst": 32400,
    "kst": 32400, "lhst": 37800, "ligt": 36000, "mart": -34200, "met": 3600, "mez": 3600,
    "mht": 43200, "mmt": 23400, "mpt": 36000, "mst": -25200, "mut": 14400, "mvt": 18000,
    "myt": 28800, "nft": -12600, "npt": 20700, "nst": -12600, "nzst": 43200, "nzt": 43200,
    "pet": -18000, "pgt": 36000, "pht": 28800, "pkt": 18000, "pmst": -10800, "pont": 39600,
    "pst": -28800, "pwt": 32400, "ret": 14400, "sast": 7200, "sct": 14400, "taht": -36000,
    "tft": 18000, "tjt": 18000, "tot": 46800, "trut": 36000, "tvt": 43200, "uct": 0,
    "ut": 0, "utc": 0, "uyt": -10800, "uzt": 18000, "vut": 39600, "wakt": 43200,
    "wast": 25200, "wat": 3600, "wet": 0, "wft": 43200, "wgt": -10800, "xjt": 21600,
    "yapt": 36000, "z": 0, "zulu": 0,
  ]

  /// Seconds east of Greenwich of daylight-saving times.
  private static let daylight = [
    "acdt": 37800, "acsst": 37800, "adt": -10800, "aedt": 39600, "aesst": 39600,
    "akdt": -28800, "almst": 25200, "awsst": 32400, "azost": 0, "bdst": 7200,
    "brst": -7200, "bst": 3600, "cadt": 37800, "cdt": -18000, "cest": 7200, "cetdst": 7200,
    "chadt": 49500, "clst": -10800, "edt": -14400, "eest": 10800, "eetdst": 10800,
    "egst": 0, "fjst": 46800, "fnst": -3600, "idt": 10800, "kdt": 36000, "kgst": 21600,
    "mdt": -21600, "mest": 7200, "mesz": 7200, "metdst": 7200, "msd": 14400, "must": 18000,
    "ndt": -9000, "nzdt": 46800, "pdt": -25200, "pkst": 21600, "pmdt": -7200,
    "pyst": -10800, "sadt": 37800, "ulast": 32400, "uyst": -7200, "uzst": 21600,
    "wadt": 28800, "wdt": 32400, "wetdst": 3600, "wgst": -7200, "yekst": 21600,
  ]

  /// Abbreviations that have meant more than one offset, with the zone that says which one when.
  private static let places = [
    "amst": "Asia/Yerevan", "anast": "Asia/Anadyr", "anat": "Asia/Anadyr",
    "arst": "America/Argentina/Buenos_Aires", "art": "America/Argentina/Buenos_Aires",
    "azst": "Asia/Baku", "azt": "Asia/Baku", "ckt": "Pacific/Rarotonga",
    "clt": "America/Santiago", "davt": "Antarctica/Davis", "easst": "Pacific/Easter",
    "east": "Pacific/Easter", "fkst": "Atlantic/Stanley", "fkt": "Atlantic/Stanley",
    "gest": "Asia/Tbilisi", "get": "Asia/Tbilisi", "gyt": "America/Guyana",
    "iot": "Indian/Chagos", "irkst": "Asia/Irkutsk", "irkt": "Asia/Irkutsk",
    "kgt": "Asia/Bishkek", "kost": "Pacific/Kosrae", "krast": "Asia/Krasnoyarsk",
    "krat": "Asia/Krasnoyarsk", "lhdt": "Australia/Lord_Howe",
    "lint": "Pacific/Kiritimati", "lkt": "Asia/Colombo", "magst": "Asia/Magadan",
    "magt": "Asia/Magadan", "mawt": "Antarctica/Mawson", "msk": "Europe/Moscow",
    "novst": "Asia/Novosibirsk", "novt": "Asia/Novosibirsk", "nut": "Pacific/Niue",
    "omsst": "Asia/Omsk", "omst": "Asia/Omsk", "petst": "Asia/Kamchatka",
    "pett": "Asia/Kamchatka", "pyt": "America/Asuncion", "sgt": "Asia/Singapore",
    "tkt": "Pacific/Fakaofo", "tmt": "Asia/Ashgabat", "ulat": "Asia/Ulaanbaatar",
    "vet": "America/Caracas", "vlast": "Asia/Vladivostok", "vlat": "Asia/Vladivostok",
    "volt": "Europe/Volgograd", "yakst": "Asia/Yakutsk", "yakt": "Asia/Yakutsk",
    "yekt": "Asia/Yekaterinburg",
  ]

  /// What an abbreviation in lower case means.
  static func named(_ name: String) -> Meaning? {
    if let seconds = standard[name] { return .fixed(seconds, isDaylight: false) }
    if let seconds = daylight[name] { return .fixed(seconds, isDaylight: true) }
    return places[name].map { .changing($0) }
  }

  /// The seconds east of Greenwich of a changing abbreviation at a local time.
  static func offset(_ name: String, wall local: Int64) -> Int {
    guard let zone = rules(name) else { return 0 }
    let wall = TimeZoneRules.unixSeconds(local)
    let usual = zone.offset(wall: wall)
    return zone.offset(of: name, at: wall - Int64(usual)) ?? usual
  }

  /// The zone of a changing abbreviation.
  static func rules(_ name: String) -> TimeZoneRules? { places[name].flatMap { .named($0) } }
}
