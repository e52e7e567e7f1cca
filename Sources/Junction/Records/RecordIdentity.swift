/// How the key of a record is read that is `Identifiable` by it, without encoding the record.
final class RecordIdentity<R: Record>: Sendable {
  /// The property that it stands for.
  let property: Int
  let read: @Sendable (R) -> SQLValue

  fileprivate init(_ property: Int, _ read: @escaping @Sendable (R) -> SQLValue) {
    self.property = property
    self.read = read
  }

  /// nil where the type has no `id`, or one that is not stored or stands in no column.
  static func of(_ properties: RecordProperties<R>) -> RecordIdentity? {
    let reading = IdentityReading<R>.self as? any ReadsIdentity.Type
    return reading?.identity(properties) as? RecordIdentity<R>
  }
}

/// Is fulfilled where a record has an `id` that stands in a column.
private protocol ReadsIdentity {
  static func identity(_ properties: AnyObject) -> AnyObject?
}

private enum IdentityReading<R> {}

extension IdentityReading: ReadsIdentity
where R: Record & Identifiable, R.ID: SQLValueConvertible {
  static func identity(_ properties: AnyObject) -> AnyObject? {
    guard let properties = properties as? RecordProperties<R>,
      let property = try? properties.propertyOfStoredID(\R.id),
      let probes = try? properties.probes(changing: property)
    else { return nil }
    // A record that encodes its id in a way of its own is encoded each time.
    let name = properties.properties[property].name
    guard probes.allSatisfy({ PropertyValues.of($0, [name]) == [$0.id.sqlValue] }) else {
      return nil
    }
    return RecordIdentity<R>(property) { $0.id.sqlValue }
  }
}
