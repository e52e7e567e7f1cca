-- The schema of LDBC's Social Network Benchmark, Interactive: what is posted and what is commented are one table of messages, as in the
-- published implementations for SQL, and a friendship is a row for each direction. Names of places, tags and tag classes are keys, as
-- they are what questions come with.
CREATE TABLE place (
    id bigint PRIMARY KEY,
    name text NOT NULL UNIQUE,
    type text NOT NULL,
    part_of bigint REFERENCES place
);
CREATE TABLE organisation (
    id bigint PRIMARY KEY,
    name text NOT NULL,
    type text NOT NULL,
    place_id bigint NOT NULL REFERENCES place
);
CREATE TABLE tagclass (
    id bigint PRIMARY KEY,
    name text NOT NULL UNIQUE,
    subclass_of bigint REFERENCES tagclass
);
CREATE TABLE tag (
    id bigint PRIMARY KEY,
    name text NOT NULL UNIQUE,
    class_id bigint NOT NULL REFERENCES tagclass
);
CREATE TABLE person (
    id bigint PRIMARY KEY,
    first_name text NOT NULL,
    last_name text NOT NULL,
    gender text NOT NULL,
    birthday date NOT NULL,
    created timestamp NOT NULL,
    location_ip text NOT NULL,
    browser text NOT NULL,
    city_id bigint NOT NULL REFERENCES place,
    languages text NOT NULL,
    emails text NOT NULL
);
CREATE TABLE interest (
    person_id bigint NOT NULL REFERENCES person,
    tag_id bigint NOT NULL REFERENCES tag,
    PRIMARY KEY (person_id, tag_id)
);
CREATE TABLE study_at (
    person_id bigint NOT NULL REFERENCES person,
    organisation_id bigint NOT NULL REFERENCES organisation,
    class_year int NOT NULL,
    PRIMARY KEY (person_id, organisation_id)
);
CREATE TABLE work_at (
    person_id bigint NOT NULL REFERENCES person,
    organisation_id bigint NOT NULL REFERENCES organisation,
    work_from int NOT NULL,
    PRIMARY KEY (person_id, organisation_id)
);
CREATE TABLE knows (
    person1_id bigint NOT NULL REFERENCES person,
    person2_id bigint NOT NULL REFERENCES person,
    created timestamp NOT NULL,
    PRIMARY KEY (person1_id, person2_id)
);
CREATE TABLE forum (
    id bigint PRIMARY KEY,
    title text NOT NULL,
    created timestamp NOT NULL,
    moderator_id bigint NOT NULL REFERENCES person
);
CREATE TABLE forum_tag (
    forum_id bigint NOT NULL REFERENCES forum,
    tag_id bigint NOT NULL REFERENCES tag,
    PRIMARY KEY (forum_id, tag_id)
);
CREATE TABLE member (
    forum_id bigint NOT NULL REFERENCES forum,
    person_id bigint NOT NULL REFERENCES person,
    joined timestamp NOT NULL,
    PRIMARY KEY (forum_id, person_id)
);
CREATE TABLE message (
    id bigint PRIMARY KEY,
    created timestamp NOT NULL,
    creator_id bigint NOT NULL REFERENCES person,
    place_id bigint NOT NULL REFERENCES place,
    forum_id bigint REFERENCES forum,
    reply_of bigint REFERENCES message,
    image_file text,
    content text,
    length int NOT NULL,
    location_ip text NOT NULL,
    browser text NOT NULL
);
CREATE TABLE message_tag (
    message_id bigint NOT NULL REFERENCES message,
    tag_id bigint NOT NULL REFERENCES tag,
    PRIMARY KEY (message_id, tag_id)
);
CREATE TABLE likes (
    person_id bigint NOT NULL REFERENCES person,
    message_id bigint NOT NULL REFERENCES message,
    created timestamp NOT NULL,
    PRIMARY KEY (person_id, message_id)
);
\if :{?JUNCTION}
CREATE PROPERTY GRAPH social
  VERTEX TABLES (place, organisation, tagclass, tag, person, forum, message)
  EDGE TABLES (
  knows SOURCE KEY (person1_id) REFERENCES person (id) DESTINATION KEY (person2_id) REFERENCES person (id),
  interest SOURCE person DESTINATION tag,
  study_at SOURCE person DESTINATION organisation,
  work_at SOURCE person DESTINATION organisation,
  member SOURCE forum DESTINATION person LABEL has_member,
  forum_tag SOURCE forum DESTINATION tag LABEL is_about,
  message_tag SOURCE message DESTINATION tag LABEL has_tag,
  likes SOURCE person DESTINATION message,
  place AS part_of SOURCE KEY (id) REFERENCES place (id) DESTINATION KEY (part_of) REFERENCES place (id) NO PROPERTIES,
  organisation AS seated_in SOURCE KEY (id) REFERENCES organisation (id) DESTINATION place NO PROPERTIES,
  tagclass AS subclass_of SOURCE KEY (id) REFERENCES tagclass (id) DESTINATION KEY (subclass_of) REFERENCES tagclass (id) NO PROPERTIES,
  tag AS has_type SOURCE KEY (id) REFERENCES tag (id) DESTINATION tagclass NO PROPERTIES,
  person AS lives_in SOURCE KEY (id) REFERENCES person (id) DESTINATION place NO PROPERTIES,
  forum AS has_moderator SOURCE KEY (id) REFERENCES forum (id) DESTINATION person NO PROPERTIES,
  message AS has_creator SOURCE KEY (id) REFERENCES message (id) DESTINATION person NO PROPERTIES,
  message AS sent_from SOURCE KEY (id) REFERENCES message (id) DESTINATION place NO PROPERTIES,
  message AS container_of SOURCE forum DESTINATION KEY (id) REFERENCES message (id) NO PROPERTIES,
  message AS reply_of SOURCE KEY (id) REFERENCES message (id) DESTINATION KEY (reply_of) REFERENCES message (id) NO PROPERTIES);
\endif
