import Columnar

extension Builtins {
  /// The aggregates of statistics.
  static var statistics: [AggregateFunction] { deviations + regressions + orderedSets }

  private static var deviations: [AggregateFunction] {
    let names: [(String, Deviation)] = [
      ("var_pop", .populationVariance), ("var_samp", .sampleVariance),
      ("variance", .sampleVariance), ("stddev_pop", .populationDeviation),
      ("stddev_samp", .sampleDeviation), ("stddev", .sampleDeviation),
    ]
    return names.flatMap { name, deviation in
      [LogicalType.smallint, .integer, .bigint, .numeric].map { type in
        AggregateFunction(name, [.exact(type)], .exact(.numeric)) { _, _ in
          NumericDeviationAccumulator(deviation)
        }
      }
        + [LogicalType.real, .double].map { type in
          AggregateFunction(name, [.exact(type)], .exact(.double)) { _, _ in
            FloatDeviationAccumulator(deviation)
          }
        }
    }
  }

  private static var regressions: [AggregateFunction] {
    let names: [(String, RegressionAccumulator.Output)] = [
      ("regr_count", .count), ("regr_avgx", .averageX), ("regr_avgy", .averageY),
      ("regr_sxx", .squaresX), ("regr_syy", .squaresY), ("regr_sxy", .products),
      ("regr_slope", .slope), ("regr_intercept", .intercept), ("regr_r2", .determination),
      ("corr", .correlation), ("covar_pop", .populationCovariance),
      ("covar_samp", .sampleCovariance),
    ]
    return names.map { name, output in
      AggregateFunction(
        name, [.exact(.double), .exact(.double)],
        .exact(output == .count ? .bigint : .double)
      ) { _, _ in RegressionAccumulator(output) }
    }
  }

  private static var orderedSets: [AggregateFunction] {
    [
      AggregateFunction("mode", [.anyElement], .anyElement, isOrderedSet: true) { types, _ in
        OrderedSetAccumulator(.mode, type: types[0])
      },
      AggregateFunction(
        "percentile_disc", [.exact(.double), .anyElement], .anyElement, isOrderedSet: true
      ) { types, _ in OrderedSetAccumulator(.discrete, type: types[1]) },
      AggregateFunction(
        "percentile_disc", [.exact(.array(.double)), .anyElement], .anyArray, isOrderedSet: true
      ) { types, _ in OrderedSetAccumulator(.discrete, type: types[1], isList: true) },
      AggregateFunction(
        "percentile_cont", [.exact(.double), .exact(.double)], .exact(.double), isOrderedSet: true
      ) { types, _ in OrderedSetAccumulator(.continuous, type: types[1]) },
      AggregateFunction(
        "percentile_cont", [.exact(.double), .exact(.interval)], .exact(.interval),
        isOrderedSet: true
      ) { types, _ in OrderedSetAccumulator(.continuous, type: types[1]) },
      AggregateFunction(
        "percentile_cont", [.exact(.array(.double)), .exact(.double)],
        .exact(.array(.double)), isOrderedSet: true
      ) { types, _ in OrderedSetAccumulator(.continuous, type: types[1], isList: true) },
      AggregateFunction(
        "percentile_cont", [.exact(.array(.double)), .exact(.interval)],
        .exact(.array(.interval)), isOrderedSet: true
      ) { types, _ in OrderedSetAccumulator(.continuous, type: types[1], isList: true) },
    ]
  }
}
