/// The programs that an export writes beside its files.
enum RunnerText {
  /// Loads the tables into Spark, asks the queries and compares the answers.
  static let spark =
    #"""
    #!/usr/bin/env python3
    """Loads the tables beside this file into Spark, asks the queries and compares the answers with Junction's.

    Usage: run [--master URL] [--memory SIZE] [--only N,N...] [--show]

    It needs pyspark 4 and Java 17. On a cluster, give the folder a place that all machines see, and run
    it by spark-submit, as run.py. --show prints both answers where they differ.
    """
    import argparse, json, os, shutil, sys, tempfile, time

    os.environ["TZ"] = "UTC"
    time.tzset()
    here = os.path.dirname(os.path.abspath(__file__))


    def read(name):
        with open(os.path.join(here, name), encoding="utf-8") as file:
            return file.read()


    def start(options, warehouse):
        try:
            from pyspark.sql import SparkSession
        except ImportError:
            sys.exit("run: pyspark is not there; install it with \"pip install pyspark\", or use spark-submit")
        settings = {
            "spark.sql.session.timeZone": "UTC", "spark.sql.caseSensitive": "true",
            "spark.sql.warehouse.dir": warehouse, "spark.sql.catalogImplementation": "in-memory",
            "spark.ui.enabled": "false", "spark.driver.memory": options.memory,
            "spark.sql.cteRecursionRowLimit": "-1", "spark.sql.cteRecursionLevelLimit": "-1",
            "spark.sql.parquet.inferTimestampNTZ.enabled": "true", "spark.sql.ansi.enabled": "true",
            "spark.log.level": "ERROR",
        }
        if options.master.startswith("local"):
            settings["spark.sql.shuffle.partitions"] = "4"
        builder = SparkSession.builder.appName("junction export")
        if options.master:
            builder = builder.master(options.master)
        for name, value in settings.items():
            builder = builder.config(name, value)
        return builder.getOrCreate()


    def quoted(name):
        return "`" + name.replace("`", "``") + "`"


    def load(spark):
        """Makes each table: in buckets where it is joined by a key, else a view of its files."""
        tables = json.loads(read("tables.json"))
        for table in tables["tables"]:
            path = os.path.join(here, table["file"])
            if not table["by"]:
                spark.read.parquet(path).createOrReplaceTempView(quoted(table["name"]))
                continue
            by = ", ".join(map(quoted, table["by"]))
            spark.sql(
                f"CREATE TABLE {quoted(table['name'])} USING parquet CLUSTERED BY ({by}) SORTED BY ({by}) "
                f"INTO {tables['buckets']} BUCKETS AS SELECT * FROM parquet.{quoted(path)}")


    def reach(spark, number, name, keys):
        """The rounds of a recursion: what the step gives of the rows found last and was not found before."""
        step = read(f"queries/{number}.{name}.step.sql").rstrip().rstrip(";")
        folder = tempfile.mkdtemp(prefix="rounds-", dir=spark.conf.get("spark.sql.warehouse.dir").removeprefix("file:"))

        def kept(frame, name):
            """The rows, written down: else each round would compute those before it again."""
            frame.write.parquet(os.path.join(folder, name))
            return spark.read.parquet(os.path.join(folder, name))

        new = kept(spark.sql(read(f"queries/{number}.{name}.anchor.sql").rstrip().rstrip(";")).distinct(), "0")
        reached, rounds = new, 0
        while not new.isEmpty():
            rounds += 1
            new.createOrReplaceTempView(name + "_new")
            found = spark.sql(step).distinct()
            if keys:
                found = found.join(reached, keys, "left_anti").select(*found.columns)
            else:
                found = found.subtract(reached)
            new = kept(found, str(rounds))
            reached = reached.union(new)
            if rounds % 8 == 0:
                reached = kept(reached, f"all-{rounds}")
        reached.createOrReplaceTempView(name)
        return rounds


    def ask(spark, query):
        keys = query.get("keys of rounds", {})
        rounds = [reach(spark, query["number"], name, keys.get(name)) for name in query["rounds"]]
        frame = spark.sql(read(f"queries/{query['number']}.sql").rstrip().rstrip(";"))
        return [list(row) for row in frame.collect()], rounds


    def main():
        parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
        # Under spark-submit the master is settled already.
        parser.add_argument("--master", default="" if "PYSPARK_GATEWAY_PORT" in os.environ else "local[*]")
        parser.add_argument("--memory", default="2g")
        parser.add_argument("--only", default="")
        parser.add_argument("--show", action="store_true")
        options = parser.parse_args()
        only = {int(n) for n in options.only.split(",") if n}
        warehouse = tempfile.mkdtemp(prefix="junction-spark-")
        spark = start(options, warehouse)
        try:
            load(spark)
            broken = 0
            for check in json.loads(read("checks.json")):
                count = spark.sql(check["sql"]).collect()[0][0]
                if count:
                    broken += 1
                    print(f"constraint {check['name']}: broken by {count}")
            queries = [q for q in json.loads(read("queries.json")) if not only or q["number"] in only]
            wrong = compare_all(queries, lambda query: ask(spark, query), options.show)
        finally:
            spark.stop()
            shutil.rmtree(warehouse, ignore_errors=True)
        return 1 if wrong or broken else 0


    """#
    + comparison
      + """


      if __name__ == "__main__":
          sys.exit(main())

      """
}
