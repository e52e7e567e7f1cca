-- A small school with unknown values, and two tables of hardly anything else.
CREATE TABLE student (id int PRIMARY KEY, name text NOT NULL, born date, tutor int REFERENCES student);
CREATE TABLE course (id int PRIMARY KEY, code varchar(8) UNIQUE, name text NOT NULL, fee numeric(8, 2), kind char(4));
CREATE TABLE enrols_in (
  student_id int REFERENCES student, course_id int REFERENCES course, grade numeric(2, 1),
  since timestamp, PRIMARY KEY (student_id, course_id));
CREATE TABLE prerequisite (
  course_id int REFERENCES course, requires_id int REFERENCES course,
  PRIMARY KEY (course_id, requires_id));
CREATE TABLE t (a int, b int);
CREATE TABLE u (a int, b int);
CREATE TABLE empty (a int, b int);
CREATE VIEW busy AS
  SELECT s.id, s.name, count(*) AS courses FROM student s JOIN enrols_in e ON e.student_id = s.id
  GROUP BY s.id, s.name HAVING count(*) > 1;
INSERT INTO student VALUES
  (1, 'Ann', '2001-05-17', NULL), (2, 'Bob', '2000-02-29', 1), (3, 'Cid', NULL, 1),
  (4, 'Dee', '2002-12-31', 2), (5, 'it''s \ "quoted"', '1999-01-01', NULL);
INSERT INTO course VALUES
  (1, 'MAT', 'Maths', 120.50, 'hard'), (2, 'ART', 'Art', NULL, 'soft'), (3, NULL, 'English', 80, 'x'),
  (4, 'PHY', 'Physics', 99.99, NULL), (5, 'LAW', 'Law', 0, 'hard');
INSERT INTO enrols_in VALUES
  (1, 1, 1.3, '2024-01-31 10:00:00'), (1, 3, 2.7, '2024-02-01 00:00:00.5'), (2, 1, NULL, NULL),
  (2, 2, 4.0, '2023-12-31 23:59:59'), (3, 1, 2.0, NULL), (3, 2, 2.0, NULL), (3, 3, 1.0, '2024-03-10');
INSERT INTO prerequisite VALUES (4, 1), (5, 4), (5, 2), (2, 3), (3, 2);
INSERT INTO t VALUES (1, 1), (2, NULL), (NULL, 1), (NULL, NULL), (3, 3);
INSERT INTO u VALUES (1, 1), (2, 2), (4, NULL), (NULL, 3);
