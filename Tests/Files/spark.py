"""Has Spark read files and write them again: spark.py JOBS, a file of JSON with a list of from, to, codec, dictionary, timestamps."""
import json, sys
from pyspark.sql import SparkSession

session = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.driver.memory", "1g")
           .config("spark.sql.session.timeZone", "UTC").config("spark.sql.parquet.datetimeRebaseModeInWrite", "CORRECTED")
           .config("spark.sql.parquet.int96RebaseModeInWrite", "CORRECTED").config("spark.sql.parquet.datetimeRebaseModeInRead", "CORRECTED")
           .config("spark.sql.parquet.int96RebaseModeInRead", "CORRECTED").config("spark.sql.parquet.binaryAsString", "false")
           .getOrCreate())
session.sparkContext.setLogLevel("OFF")
errors = []
for job in json.load(open(sys.argv[1])):
    try:
        session.conf.set("spark.sql.parquet.outputTimestampType", job["timestamps"])
        rows = session.read.parquet(job["from"]).coalesce(1)
        writer = rows.write.option("compression", job["codec"]).option("parquet.enable.dictionary", job["dictionary"])
        writer.option("parquet.writer.version", job["version"]).mode("overwrite").parquet(job["to"])
        errors.append(None)
    except Exception as error:
        errors.append(str(error)[:300])
json.dump(errors, open(sys.argv[1], "w"))
