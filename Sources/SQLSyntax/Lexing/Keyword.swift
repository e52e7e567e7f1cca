/// A key word of PostgreSQL 15.
///
/// The cases are in the alphabetical order of the words; `KeywordTable` lists the words in the same
/// order, so that the raw value is the position in that list.
package enum Keyword: UInt16, CaseIterable, Sendable {
  case abort, absolute, access, action, add, admin, after, aggregate, all, also, alter, always
  case analyse, analyze, and, any, array, `as`, asc, asensitive, assertion, assignment
  case asymmetric, at, atomic, attach, attribute, authorization
  case backward, before, begin, between, bigint, binary, bit, boolean, both, breadth, by
  case cache, call, called, cascade, cascaded, `case`, cast, catalog, chain, char, character
  case characteristics, check, checkpoint, `class`, close, cluster, coalesce, collate, collation
  case column, columns, comment, comments, commit, committed, compression, concurrently
  case configuration, conflict, connection, constraint, constraints, content, `continue`
  case conversion, copy, cost, create, cross, csv, cube, current, currentCatalog, currentDate
  case currentRole, currentSchema, currentTime, currentTimestamp, currentUser, cursor, cycle
  case data, database, day, deallocate, dec, decimal, declare, `default`, defaults, deferrable
  case deferred, definer, delete, delimiter, delimiters, depends, depth, desc, detach
  case dictionary, disable, discard, distinct, `do`, document, domain, double, drop
  case each, `else`, enable, encoding, encrypted, end, `enum`, escape, event, except, exclude
  case excluding, exclusive, execute, exists, explain, expression, `extension`, external
  case extract
  case `false`, family, fetch, filter, finalize, first, float, following, `for`, force, foreign
  case forward, freeze, from, full, function, functions
  case generated, global, grant, granted, greatest, group, grouping, groups
  case handler, having, header, hold, hour
  case identity, `if`, ignored, ilike, immediate, immutable, implicit, `import`, `in`, include
  case including, increment, index, indexes, inherit, inherits, initially, inline, inner
  case `inout`, input, insensitive, insert, instead, int, integer, intersect, interval, into
  case invoker, `is`, isnull, isolation
  case join
  case key
  case label, language, large, last, lateral, leading, leakproof, least, left, level, like
  case limit, listen, load, local, localtime, localtimestamp, location, lock, locked, logged
  case mapping, match, matched, materialized, maxvalue, merge, method, minute, minvalue, mode
  case month, move
  case name, names, national, natural, nchar, new, next, nfc, nfd, nfkc, nfkd, no, none
  case normalize, normalized, not, nothing, notify, notnull, nowait, null, nullif, nulls
  case numeric
  case object, of, off, offset, oids, old, on, only, `operator`, option, options, or, order
  case ordinality, others, out, outer, over, overlaps, overlay, overriding, owned, owner
  case parallel, parameter, parser, partial, partition, passing, password, placing, plans
  case policy, position, preceding, precision, prepare, prepared, preserve, primary, prior
  case privileges, procedural, procedure, procedures, program, publication
  case quote
  case range, read, real, reassign, recheck, recursive, ref, references, referencing, refresh
  case reindex, relative, release, rename, repeatable, replace, replica, reset, restart
  case restrict, `return`, returning, returns, revoke, right, role, rollback, rollup, routine
  case routines, row, rows, rule
  case savepoint, schema, schemas, scroll, search, second, security, select, sequence, sequences
  case serializable, server, session, sessionUser, set, setof, sets, share, show, similar
  case simple, skip, smallint, snapshot, some, sql, stable, standalone, start, statement
  case statistics, stdin, stdout, storage, stored, strict, strip, subscription, substring
  case support, symmetric, sysid, system
  case table, tables, tablesample, tablespace, temp, template, temporary, text, then, ties, time
  case timestamp, to, trailing, transaction, transform, treat, trigger, trim, `true`, truncate
  case trusted, type, types
  case uescape, unbounded, uncommitted, unencrypted, union, unique, unknown, unlisten, unlogged
  case until, update, user, using
  case vacuum, valid, validate, validator, value, values, varchar, variadic, varying, verbose
  case version, view, views, volatile
  case when, `where`, whitespace, window, with, within, without, work, wrapper, write
  case xml, xmlattributes, xmlconcat, xmlelement, xmlexists, xmlforest, xmlnamespaces, xmlparse
  case xmlpi, xmlroot, xmlserialize, xmltable
  case year, yes
  case zone
}

/// How far a key word may serve as a name.
package enum KeywordCategory: UInt8, Sendable {
  /// A name anywhere.
  case unreserved
  /// A column's or table's name, but not a function's.
  case columnName
  /// A function's or type's name, but not a column's.
  case typeOrFunctionName
  /// No name without quotes, except after AS.
  case reserved
}
