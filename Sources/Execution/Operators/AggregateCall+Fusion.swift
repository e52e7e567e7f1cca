import Columnar
import Planning

extension AggregateCall {
  /// The call, with what it does to its arguments made part of the aggregate.
  var fused: AggregateCall { isWithinGroup ? withoutCast : withObjects }

  /// `percentile_cont` of numbers before they become doubles, as the conversion keeps their order.
  private var withoutCast: AggregateCall {
    guard name == "percentile_cont", case .cast(let cast) = arguments[1],
      cast.target.type == .double, cast.operand.type.isNumeric, cast.operand.type != .oid
    else { return self }
    var call = self
    call.arguments[1] = cast.operand
    return call
  }

  /// `json_agg(json_build_object('key', value, …))` as one aggregate of the values.
  ///
  /// Keys have to be constants: they are written out once.
  private var withObjects: AggregateCall {
    guard name == "json_agg", arguments.count == 1, !isDistinct,
      case .call(let object) = arguments[0], object.name == "json_build_object",
      object.arguments.count > 1, object.arguments.count.isMultiple(of: 2)
    else { return self }
    var keys: [[UInt8]] = []
    var values: [BoundExpression] = []
    for index in stride(from: 0, to: object.arguments.count, by: 2) {
      guard case .constant(.text(let key), let type) = object.arguments[index],
        type == .text || type == .unknown || type == .varchar
      else { return self }
      guard object.arguments[index + 1].type.isWrittenAlike else { return self }
      keys.append(key)
      values.append(object.arguments[index + 1])
    }
    let constantKeys = keys
    return AggregateCall(
      name: name, arguments: values, orderBy: orderBy, filter: filter, type: type, isStrict: false,
      isOrderSensitive: true
    ) { types, _ in JSONObjectsAccumulator(keys: constantKeys, types: types) }
  }
}

extension LogicalType {
  /// Whether values are written the same way in every time zone.
  fileprivate var isWrittenAlike: Bool {
    switch self {
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .unknown, .date, .timestamp, .time, .uuid, .json, .jsonb:
      true
    case .bytea, .timetz, .timestamptz, .interval, .bit, .varbit, .oid, .array, .record,
      .enumeration, .void:
      false
    }
  }
}
