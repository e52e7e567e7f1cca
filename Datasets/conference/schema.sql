-- A conference: sessions share presenters, and every delete rule is used once.
CREATE TABLE time_slot (id int PRIMARY KEY, starts time NOT NULL);
CREATE TABLE session (
    id int PRIMARY KEY,
    title text NOT NULL,
    time_slot_id int UNIQUE REFERENCES time_slot ON DELETE SET NULL
);
CREATE TABLE presenter (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE online_link (
    id int PRIMARY KEY,
    url text NOT NULL,
    presenter_id int NOT NULL REFERENCES presenter ON DELETE CASCADE
);
CREATE TABLE presents (
    session_id int REFERENCES session ON DELETE CASCADE,
    presenter_id int REFERENCES presenter ON DELETE RESTRICT,
    PRIMARY KEY (session_id, presenter_id)
);
