import Execution

struct ExplainOptions {
  var isAnalyzed = false
  var planningTime: Duration?
  var executionTime: Duration?
}

func explain(
  _ plan: PhysicalPlan, options: ExplainOptions, statistics: [OperatorStatistics]?
) -> [String] { ["\(plan.node)"] }
