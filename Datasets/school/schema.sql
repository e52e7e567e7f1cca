-- Students and courses, and the junction table that says who takes what.
CREATE TABLE student (
    id SERIAL PRIMARY KEY,
    first_name VARCHAR(50),
    last_name VARCHAR(50)
);
CREATE TABLE course (
    id SERIAL PRIMARY KEY,
    short_code VARCHAR(10) UNIQUE,
    name VARCHAR(100)
);
CREATE TABLE enrols_in (
    student_id INT REFERENCES student (id),
    course_id INT REFERENCES course (id),
    PRIMARY KEY (student_id, course_id)
);
