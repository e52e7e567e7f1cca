import Diagnostics
import Dispatch
import Foundation
import Junction
import Synchronization

/// Heavy statements of all kinds, each cancelled at random moments: how long until the caller has the error.
struct CancelProof {
  /// One kind of work that takes long.
  struct Kind {
    let name: String
    let sql: String
    /// What is done before each run, without being cancelled.
    var setup: String?

    init(_ name: String, _ sql: String, setup: String? = nil) {
      self.name = name
      self.sql = sql
      self.setup = setup
    }
  }

  /// No caller may wait longer, of a hundred cancels in a hundred but one.
  static let latencyMax = Duration.milliseconds(50)

  let scale: Int
  private let database = Database()
  private let folder: String

  init(scale: Int, folder: String) {
    self.scale = scale
    self.folder = folder
  }

  /// Runs each kind `rounds` times, of all kinds or of those whose names have `pattern` in them.
  func run(rounds: Int, only pattern: String?) throws -> Bool {
    try prepare()
    let proof = Proof("cancels")
    var all: [Duration] = []
    var random = SystemRandomNumberGenerator()
    for kind in kinds where pattern.map(kind.name.contains) ?? true {
      var latencies: [Duration] = []
      var finished = 0
      let resident = Self.residentBytes
      for _ in 0..<rounds {
        let delay = Duration.milliseconds(Int.random(in: 5...1500, using: &random))
        switch try cancel(kind, after: delay) {
        case .cancelled(let latency): latencies.append(latency)
        case .finished: finished += 1
        case .failed(let error): proof.fail("\(kind.name): \(error)")
        }
        proof.add()
      }
      all += latencies
      latencies.sort()
      let worst = latencies.last ?? .zero
      Thread.sleep(forTimeInterval: 0.3)
      print(
        "  \(kind.name): median \(Self.text(latencies)), worst \(Self.text(worst)), "
          + "\(latencies.count) cancelled, \(finished) were done before, "
          + "\(resident >> 20) MB before, \(Self.residentBytes >> 20) MB after")
    }
    all.sort()
    guard !all.isEmpty else { return proof.report() }
    let percentile = all[min(all.count - 1, all.count * 99 / 100)]
    proof.add(Int(percentile / .microseconds(1)), to: "µs for the 99th percentile")
    proof.add(Int((all.last ?? .zero) / .microseconds(1)), to: "µs for the worst")
    if percentile > Self.latencyMax { proof.fail("one in a hundred took \(Self.text(percentile))") }
    return proof.report()
  }

  private static func text(_ latencies: [Duration]) -> String {
    latencies.isEmpty ? "-" : text(latencies[latencies.count / 2])
  }

  private static func text(_ latency: Duration) -> String {
    "\((latency / .milliseconds(1) * 10).rounded() / 10) ms"
  }

  /// What the process has of memory; 0 where the system does not say.
  static var residentBytes: Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return 0
    }
    let fields = text.split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4096 : 0
  }

  enum Outcome {
    case cancelled(Duration)
    case finished
    case failed(SQLError)
  }

  /// Runs a statement on a thread of its own, and cancels it after a while.
  func cancel(_ kind: Kind, after delay: Duration) throws(SQLError) -> Outcome {
    let connection = database.connect()
    if let setup = kind.setup { try connection.execute(setup) }
    let ended = Mutex<(moment: ContinuousClock.Instant, error: SQLError?)?>(nil)
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      var failure: SQLError?
      do throws(SQLError) {
        if kind.sql.hasPrefix("COPY") && kind.sql.hasSuffix("STDOUT") {
          _ = try connection.copyOut(kind.sql) { _ in }
        } else {
          _ = try connection.execute(kind.sql)
        }
      } catch { failure = error }
      ended.withLock { $0 = (ContinuousClock.now, failure) }
      done.signal()
    }
    thread.stackSize = 8 << 20
    thread.start()
    let waited = done.wait(timeout: .now() + delay / .seconds(1))
    let asked = ContinuousClock.now
    if waited != .success {
      connection.cancel()
      // Asked before it began, it would not have heard.
      while done.wait(timeout: .now() + 2) != .success { connection.cancel() }
    }
    guard let (moment, error) = ended.withLock({ $0 }) else { return .finished }
    // What a statement has left of a transaction must not be in the way of the next.
    guard let error else { return .finished }
    if error.state == .queryCanceled { return .cancelled(moment - asked) }
    return .failed(error)
  }

  /// Tables of `scale` rows.
  private func prepare() throws(SQLError) {
    let connection = database.connect()
    let people = scale / 8
    try connection.execute(
      """
      CREATE TABLE big (a integer, b bigint, t text, f double precision, n numeric(12, 2));
      INSERT INTO big SELECT (i * 7919::bigint) % \(scale), (i * 104729::bigint) % 1000, 'text number ' || (i * 31) % \(scale),
        ((i * 7919::bigint) % \(scale))::float8 / 7, (i % 100000)::numeric / 100 FROM generate_series(1, \(scale)) i;
      CREATE TABLE person (id integer PRIMARY KEY, name text);
      INSERT INTO person SELECT i, 'person ' || i FROM generate_series(1, \(people)) i;
      CREATE TABLE course (id integer PRIMARY KEY);
      INSERT INTO course SELECT i FROM generate_series(1, 1000) i;
      CREATE TABLE link (person integer REFERENCES person ON DELETE CASCADE, course integer REFERENCES course,
        PRIMARY KEY (person, course));
      INSERT INTO link SELECT p, 1 + (p * 7919::bigint + k * 104729) % 1000 FROM generate_series(1, \(people)) p,
        generate_series(1, 8) k ON CONFLICT DO NOTHING;
      CREATE TABLE friend (a integer REFERENCES person, b integer REFERENCES person, PRIMARY KEY (a, b));
      INSERT INTO friend SELECT p, 1 + (p * 31 + k * 7) % \(people) FROM generate_series(1, \(people)) p,
        generate_series(1, 4) k ON CONFLICT DO NOTHING;
      COPY big TO '\(folder)/big.csv' (FORMAT csv);
      """)
  }

  /// All kinds of work.
  var kinds: [Kind] {
    let many = scale * 8
    return [
      Kind(
        "sort of whole numbers",
        "SELECT * FROM (SELECT a.a, b.b FROM big a, (VALUES (1), (2), (3), (4), (5), (6), (7), (8)) b(b) ORDER BY a.a * b.b) x OFFSET \(many)"
      ),
      Kind("sort of texts", "SELECT t FROM big ORDER BY t || a OFFSET \(scale)"),
      Kind("sort by four columns", "SELECT * FROM big ORDER BY n, f, t, a OFFSET \(scale)"),
      Kind(
        "top k",
        "SELECT a FROM generate_series(1, \(many)) a ORDER BY (a * 7919::bigint) % 1000003 LIMIT 2000000"
      ),
      Kind(
        "rank", "SELECT count(r) FROM (SELECT rank() OVER (PARTITION BY b ORDER BY t) r FROM big) x"
      ),
      Kind(
        "lag and running sum",
        "SELECT count(l), sum(s) FROM (SELECT lag(a) OVER w l, sum(a) OVER w s FROM big WINDOW w AS (ORDER BY f, a)) x"
      ),
      Kind(
        "moving frames",
        "SELECT sum(s) FROM (SELECT avg(a) OVER (ORDER BY a ROWS BETWEEN 500 PRECEDING AND 500 FOLLOWING) s FROM big) x"
      ),
      Kind("hash join", "SELECT count(*) FROM big x JOIN big y ON x.t = y.t AND x.f <= y.f"),
      Kind("join of many matches", "SELECT count(x.t || y.t) FROM big x JOIN big y ON x.b = y.b"),
      Kind("cross join", "SELECT count(*) FROM big x, big y WHERE x.a + y.a = -1"),
      Kind(
        "group by text", "SELECT count(*) FROM (SELECT t, count(*), sum(a) FROM big GROUP BY t) x"),
      Kind(
        "group by numbers",
        "SELECT count(*) FROM (SELECT i * 7919::bigint, count(*) FROM generate_series(1, \(many)) i GROUP BY 1) x"
      ),
      Kind(
        "percentile",
        "SELECT percentile_cont(0.3) WITHIN GROUP (ORDER BY f) FROM big, generate_series(1, 4)"),
      Kind("string_agg", "SELECT length(string_agg(t, ',' ORDER BY a)) FROM big"),
      Kind("array_agg", "SELECT cardinality(array_agg(a ORDER BY t)) FROM big"),
      Kind("json_agg", "SELECT length(json_agg(x)::text) FROM (SELECT * FROM big) x"),
      Kind("count distinct", "SELECT count(DISTINCT t), count(DISTINCT f) FROM big"),
      Kind("distinct rows", "SELECT count(*) FROM (SELECT DISTINCT a, t FROM big) x"),
      Kind("union", "SELECT count(*) FROM (SELECT t, a FROM big UNION SELECT t, a + 1 FROM big) x"),
      Kind(
        "except all",
        "SELECT count(*) FROM (SELECT t, a FROM big EXCEPT ALL SELECT t, a + 1 FROM big) x"),
      Kind(
        "recursion",
        "WITH RECURSIVE r(n, k) AS (SELECT a, 0 FROM big WHERE a < 1000 UNION SELECT (n * 31 + 7) % 10000019, k + 1 FROM r WHERE k < 100000) SELECT count(*) FROM r"
      ),
      Kind(
        "closure",
        "WITH RECURSIVE r(p) AS (SELECT 1 UNION SELECT f.b FROM r JOIN friend f ON f.a = r.p) SELECT count(*) FROM r, generate_series(1, 100000) WHERE p > 0"
      ),
      Kind(
        "paths",
        "SELECT count(*) FROM GRAPH_TABLE (* MATCH p = ANY SHORTEST (x IS person)-[IS friend]->{1,9}(y IS person) WHERE x.id < 3000 COLUMNS (x.id AS a, y.id AS b)) g"
      ),
      Kind(
        "cheapest paths",
        "SELECT count(*) FROM GRAPH_TABLE (* MATCH ALL CHEAPEST (x IS person)-[IS friend COST 1]->{1,9}(y IS person) WHERE x.id < 3000 COLUMNS (x.id AS a, y.id AS b)) g"
      ),
      Kind(
        "pairs of courses",
        "SELECT x.course, y.course, count(*) FROM link x JOIN link y ON x.person = y.person GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 5"
      ),
      Kind(
        "create index",
        "CREATE INDEX ON copy (t); CREATE INDEX ON copy (f); CREATE INDEX ON copy (a, b)",
        setup: "DROP TABLE IF EXISTS copy; CREATE TABLE copy AS SELECT * FROM big"),
      Kind(
        "add keys",
        "ALTER TABLE ids ADD PRIMARY KEY (i); ALTER TABLE ids ADD UNIQUE (t); ALTER TABLE ids ADD FOREIGN KEY (p) REFERENCES person",
        setup:
          "DROP TABLE IF EXISTS ids; CREATE TABLE ids AS SELECT i, i || 'x' AS t, 1 + i % \(scale / 8) AS p FROM generate_series(1, \(scale)) i"
      ),
      Kind(
        "add a junction's keys",
        "ALTER TABLE pair ADD FOREIGN KEY (a) REFERENCES person, ADD FOREIGN KEY (b) REFERENCES person",
        setup:
          "DROP TABLE IF EXISTS pair; CREATE TABLE pair AS SELECT DISTINCT 1 + (i * 7919::bigint % \(scale / 8))::integer AS a, 1 + i % (\(scale / 8) - 5) AS b FROM generate_series(1, \(scale)) i; ALTER TABLE pair ADD PRIMARY KEY (a, b)"
      ),
      Kind(
        "insert from select",
        "INSERT INTO target SELECT i, t FROM (SELECT a AS i, t FROM big UNION ALL SELECT a + \(scale), t FROM big) x",
        setup: "DROP TABLE IF EXISTS target; CREATE TABLE target (i integer, t text, UNIQUE (t, i))"
      ),
      Kind(
        "create table as", "CREATE TABLE made AS SELECT *, md5(t) FROM big",
        setup: "DROP TABLE IF EXISTS made"),
      Kind(
        "update", "UPDATE changed SET t = t || '!', b = b + 1",
        setup: "DROP TABLE IF EXISTS changed; CREATE TABLE changed AS SELECT * FROM big"),
      Kind(
        "delete with cascades", "DELETE FROM parent WHERE id % 2 = 0",
        setup:
          "DROP TABLE IF EXISTS child; DROP TABLE IF EXISTS parent; CREATE TABLE parent (id integer PRIMARY KEY); INSERT INTO parent SELECT i FROM generate_series(1, \(scale / 4)) i; CREATE TABLE child (id integer PRIMARY KEY, parent integer REFERENCES parent ON DELETE CASCADE); INSERT INTO child SELECT i, 1 + i % \(scale / 4) FROM generate_series(1, \(scale)) i"
      ),
      Kind(
        "copy in", "COPY loaded FROM '\(folder)/big.csv' (FORMAT csv)",
        setup:
          "DROP TABLE IF EXISTS loaded; CREATE TABLE loaded (a integer, b bigint, t text, f double precision, n numeric(12, 2), UNIQUE (t, a, f))"
      ),
      Kind(
        "copy to a file",
        "COPY (SELECT * FROM big, generate_series(1, 3)) TO '\(folder)/out.csv' (FORMAT csv)"),
      Kind("copy out", "COPY (SELECT * FROM big, generate_series(1, 3)) TO STDOUT"),
      Kind(
        "regular expressions",
        "SELECT count(*) FROM big WHERE t ~ '(t|e|x)*t (n|u|m)*ber.*[0-9]+(1|2)3$'"),
      Kind("one long regular expression", "SELECT repeat('a', 2000000) || 'b' ~ '^(a|aa|aaa)*c$'"),
      Kind(
        "like", "SELECT count(*) FROM big, generate_series(1, 20) g WHERE t || g LIKE '%n%m%7%_%9'"),
      Kind("generate_series", "SELECT count(*), sum(i) FROM generate_series(1, 100000000000) i"),
      Kind(
        "large texts",
        "SELECT sum(length(replace(repeat('ab' || i, 1000000), 'b', 'cd'))) FROM generate_series(1, 1000) i"
      ),
      Kind(
        "digests of large texts",
        "SELECT count(md5(repeat(i::text, 10000000))) FROM generate_series(1, 1000) i"),
      Kind(
        "json building",
        "SELECT sum(length(jsonb_build_object('a', a, 't', t, 'l', jsonb_build_array(f, n))::text)) FROM big, generate_series(1, 10)"
      ),
      Kind(
        "arrays",
        "SELECT sum(cardinality(array_cat(array_fill(i, ARRAY[100000]), ARRAY[1]))) FROM generate_series(1, 100000) i"
      ),
      Kind(
        "values of sequences", "SELECT count(nextval('s')) FROM generate_series(1, 100000000) i",
        setup: "DROP SEQUENCE IF EXISTS s; CREATE SEQUENCE s"),
      Kind("a result that is kept", "SELECT x.*, y.i FROM big x, generate_series(1, 3) y(i)"),
      Kind("verify", "VERIFY"),
    ]
  }
}
