extension RunnerText {
  /// Loads the tables into Citus or PostgreSQL by psql, and has the queries asked.
  static let postgres =
    #"""
    #!/bin/sh
    # Loads the tables beside this file into a database, asks the queries and compares the answers with Junction's.
    #
    # Usage: run HOST [OPTION]...      a Citus cluster by its coordinator, whose workers are known to it
    #        run --plain [OPTION]...   any PostgreSQL from version 15 on, without the calls of Citus
    #
    # Further options go to psql: -h, -p, -U, -d, or a connection string. The database should be empty.
    # It needs psql, and Python 3 to compare.
    set -e
    cd "$(dirname "$0")"
    kind=citus
    case "$1" in
      --plain) kind=plain; shift ;;
      -*|"") sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2 ;;
      *) PGHOST=$1; export PGHOST; shift ;;
    esac
    step() { psql -X -q -v ON_ERROR_STOP=1 "$@" > /dev/null; }
    step "$@" -f schema.sql
    if [ $kind = citus ]; then
      step "$@" -c 'CREATE EXTENSION IF NOT EXISTS citus'
      step "$@" -f distribute.sql
    fi
    step "$@" -f load.sql
    step "$@" -f constraints-$kind.sql
    step "$@" -f copies.sql
    step "$@" -f views.sql
    broken=$(psql -X -q -A -t -v ON_ERROR_STOP=1 "$@" -f checks.sql)
    if [ -n "$broken" ]; then echo "constraints are broken:"; echo "$broken"; exit 1; fi
    exec python3 compare.py $kind "$@"

    """#

  /// Asks the queries by psql and compares the answers.
  static let postgresComparison =
    #"""
    """Asks the queries of this folder by psql and compares the answers with Junction's; run calls it."""
    import json, os, subprocess, sys

    here = os.path.dirname(os.path.abspath(__file__))


    def read(name):
        with open(os.path.join(here, name), encoding="utf-8") as file:
            return file.read()


    def psql(script, options):
        settings = "SET citus.enable_repartition_joins = on;\n" if sys.argv[1] == "citus" else ""
        settings += ("SET timezone = 'UTC'; SET datestyle = 'ISO, MDY'; SET intervalstyle = 'postgres';"
                    " SET bytea_output = 'hex'; SET client_min_messages = warning;\n")
        done = subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", *options], input=settings + script,
            capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip().split("\n")[0])
        return done.stdout


    def copied(query):
        """The query, its answer as CSV with a header."""
        text = query.rstrip().rstrip(";")
        return f"COPY ({text}\n) TO STDOUT WITH (FORMAT csv, HEADER);\n"


    def reach(number, name, keys):
        """A recursion by rounds: what the step gives of the rows found last and was not found before."""
        same = " AND ".join(f"old.{key} = next.{key}" for key in keys or [])
        left = f"WHERE NOT EXISTS (SELECT 1 FROM {name} AS old WHERE {same})" if keys else f"EXCEPT SELECT * FROM {name}"
        anchor = read(f"queries/{number}.{name}.anchor.sql").rstrip().rstrip(";")
        step = read(f"queries/{number}.{name}.step.sql").rstrip().rstrip(";")
        return f"""
    CREATE TEMP TABLE {name} AS SELECT DISTINCT * FROM ({anchor}) AS first;
    CREATE TEMP TABLE {name}_new AS SELECT * FROM {name};
    DO $rounds$
    BEGIN
      LOOP
        CREATE TEMP TABLE {name}_next AS SELECT DISTINCT * FROM ({step}) AS next {left};
        EXIT WHEN NOT EXISTS (SELECT 1 FROM {name}_next);
        INSERT INTO {name} SELECT * FROM {name}_next;
        DROP TABLE {name}_new;
        ALTER TABLE {name}_next RENAME TO {name}_new;
      END LOOP;
    END $rounds$;
    """


    def ask(query, options, makes_rounds):
        number = query["number"]
        keys = query.get("keys of rounds", {})
        if not query["rounds"] or not makes_rounds and not keys:
            script = copied(read(f"queries/{number}.sql"))
        else:
            script = "".join(reach(number, name, keys.get(name)) for name in query["rounds"])
            script += copied(read(f"queries/{number}.sql" if keys else f"queries/{number}.rounds.sql"))
        return parse_csv(psql(script, options))[1:], []


    """#
    + comparison
      + """


      if __name__ == "__main__":
          options = sys.argv[2:]
          makes_rounds = sys.argv[1] == "citus" or "--rounds" in options
          options = [option for option in options if option != "--rounds"]
          queries = json.loads(read("queries.json"))
          for query in queries if sys.argv[1] == "citus" else []:
              if "limit" in query:
                  query["refused"] = query["limit"]
          wrong = compare_all(queries, lambda query: ask(query, options, makes_rounds), False)
          sys.exit(1 if wrong else 0)

      """
}
