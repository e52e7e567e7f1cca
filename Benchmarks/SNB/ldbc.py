"""Turns LDBC's files for SQL (a folder with `static` and `dynamic`) into those of this folder's schema."""
import csv
import glob
import os
from collections import defaultdict


def rows(source, name):
    for path in sorted(glob.glob(os.path.join(source, "*", f"{name}_[0-9]*.csv"))):
        with open(path, newline="") as file:
            reader = csv.reader(file, delimiter="|", quoting=csv.QUOTE_NONE)
            next(reader)
            yield from reader


def time(text):
    """`2010-09-16T06:54:00.602+0000` without the zone, which is UTC."""
    return text[:23]


def convert(source, folder):
    os.makedirs(folder, exist_ok=True)
    languages, emails = defaultdict(list), defaultdict(list)
    for id, value in rows(source, "person_speaks_language"):
        languages[id].append(value)
    for id, value in rows(source, "person_email_emailaddress"):
        emails[id].append(value)

    def table(name, columns, values):
        with open(os.path.join(folder, f"{name}.csv"), "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns.split())
            writer.writerows(values)

    def unique(values):
        """Keys that come several times, once: names are keys here."""
        seen = defaultdict(int)
        for row in values:
            seen[row[1]] += 1
            yield row if seen[row[1]] == 1 else [row[0], f"{row[1]}_{seen[row[1]]}", *row[2:]]

    table("place", "id name type part_of", unique([r[0], r[1], r[3], r[4]] for r in rows(source, "place")))
    table("organisation", "id name type place_id", ([r[0], r[2], r[1], r[4]] for r in rows(source, "organisation")))
    table("tagclass", "id name subclass_of", unique([r[0], r[1], r[3]] for r in rows(source, "tagclass")))
    table("tag", "id name class_id", unique([r[0], r[1], r[3]] for r in rows(source, "tag")))
    table("person", "id first_name last_name gender birthday created location_ip browser city_id languages emails", (
        [*r[:5], time(r[5]), *r[6:9], ";".join(languages[r[0]]), ";".join(emails[r[0]])] for r in rows(source, "person")))
    table("interest", "person_id tag_id", rows(source, "person_hasInterest_tag"))
    table("study_at", "person_id organisation_id class_year", rows(source, "person_studyAt_organisation"))
    table("work_at", "person_id organisation_id work_from", rows(source, "person_workAt_organisation"))
    both = [(a, b, time(at)) for a, b, at in rows(source, "person_knows_person")]
    table("knows", "person1_id person2_id created", both + [(b, a, at) for a, b, at in both])
    table("forum", "id title created moderator_id", ([r[0], r[1], time(r[2]), r[3]] for r in rows(source, "forum")))
    table("forum_tag", "forum_id tag_id", rows(source, "forum_hasTag_tag"))
    table("member", "forum_id person_id joined", ([r[0], r[1], time(r[2])] for r in rows(source, "forum_hasMember_person")))
    posts = ([r[0], time(r[2]), r[8], r[10], r[9], "", r[1], r[6], r[7], r[3], r[4]] for r in rows(source, "post"))
    comments = ([r[0], time(r[1]), r[6], r[7], "", r[8] or r[9], "", r[4], r[5], r[2], r[3]] for r in rows(source, "comment"))
    table("message", "id created creator_id place_id forum_id reply_of image_file content length location_ip browser", [*posts, *comments])
    tags = [*rows(source, "post_hasTag_tag"), *rows(source, "comment_hasTag_tag")]
    table("message_tag", "message_id tag_id", tags)
    liked = [*rows(source, "person_likes_post"), *rows(source, "person_likes_comment")]
    table("likes", "person_id message_id created", ([a, b, time(at)] for a, b, at in liked))
