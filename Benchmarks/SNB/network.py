"""Makes a social network of the schema of LDBC's Social Network Benchmark: the same bytes for one seed.

Sizes and correlations follow the benchmark's own generator where its queries depend on them: degrees are skewed; people know whom they
studied or live with, or whose interests they share; names and interests depend on the country; walls, albums and groups have members
who are friends or alike; what they post has tags of theirs, and is answered in threads. With 10,000 persons there are about as many
rows as at the benchmark's scale factor 1.
"""
import os

import numpy as np

BEGIN = np.datetime64("2010-01-01T00:00:00.000").astype(np.int64)
END = np.datetime64("2013-01-01T00:00:00.000").astype(np.int64)
DAY = 86_400_000
BROWSERS = ["Firefox", "Chrome", "Internet Explorer", "Safari", "Opera"]
SHORT = ["ok", "thanks", "yes", "no", "great", "LOL", "maybe", "good", "I see", "right", "no way!", "cool"]
SYLLABLES = "ba be di do fa ge ha hi jo ka ko la li lu ma mi mo na ne no pe ra ri ro sa se si ta te to va ve yu za zé ñu ør ka ly".split()
WORDS = ("about after again age against army art became before began book born career century church city college company country court "
         "death died early ended family famous father film first general government great group history house island king known land "
         "language last later law life long made many married member military minister modern mother music name nation new novel "
         "office part party people period played poet political power president prince public published queen record released river "
         "royal school second series served singer son song state story team third throne time title town university village war "
         "western work world writer year young").split()
CONTINENTS = ["Africa", "America", "Antarctica", "Asia", "Europe", "Oceania"]
COUNTRIES = ("China India United_States Indonesia Brazil Pakistan Nigeria Bangladesh Russia Japan Mexico Philippines Vietnam Ethiopia "
             "Germany Egypt Iran Turkey Thailand France United_Kingdom Italy South_Africa Burma South_Korea Spain Colombia Ukraine "
             "Tanzania Argentina Kenya Poland Algeria Canada Uganda Morocco Peru Iraq Malaysia Romania Nepal Chile Ghana Australia "
             "Cameroon Angola Netherlands Kazakhstan Belgium Greece Portugal Hungary Sweden Austria Finland Norway Denmark "
             "Ireland New_Zealand Iceland").split()


def zipf(random, count, size, exponent=0.8):
    """Ranks from 0 to count - 1, the low ones most often."""
    weights = np.cumsum(1.0 / np.arange(1, count + 1) ** exponent)
    return np.searchsorted(weights, random.random(size) * weights[-1])


def unique_pairs(a, b, *others):
    """Each pair once, ordered by both, with what the others have of its first."""
    order = np.lexsort((b, a))
    a, b = a[order], b[order]
    kept = np.ones(len(a), dtype=bool)
    kept[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    return [a[kept], b[kept]] + [other[order][kept] for other in others]


class Lists:
    """What belongs to each of some things, one behind the other."""

    def __init__(self, owner, count):
        self.counts = np.bincount(owner, minlength=count)
        self.starts = np.concatenate([[0], np.cumsum(self.counts)[:-1]])

    def draw(self, random, owner):
        """The place of one of each owner's at random; -1 where it has none."""
        counts = self.counts[owner]
        place = self.starts[owner] + (random.random(len(owner)) * counts).astype(np.int64)
        return np.where(counts > 0, place, -1)


def names(random, count, least, most):
    found = {}
    while len(found) < count:
        parts = random.integers(0, len(SYLLABLES), random.integers(least, most + 1))
        found.setdefault("".join(SYLLABLES[part] for part in parts).capitalize())
    return np.array(list(found), dtype=object)


def numbered(created):
    """Ids that rise with the time, with gaps; and the order that they rise in."""
    order = np.argsort(created, kind="stable")
    days = (created[order] - BEGIN) // DAY
    return (days << 32) + np.arange(len(created)), order


def later(random, start, power=2.0):
    """A time between each start and the end, nearer to the start."""
    return start + (random.random(len(start)) ** power * (END - 1 - start)).astype(np.int64)


class Network:
    def __init__(self, persons, seed):
        self.random = np.random.default_rng(seed)
        self.count = persons
        self.make_places()
        self.make_tags()
        self.make_persons()
        self.make_knows()
        self.make_forums()
        self.make_posts()
        self.make_comments()
        self.make_likes()

    # What does not change: places, organisations, tags.

    def make_places(self):
        random, countries = self.random, len(COUNTRIES)
        cities = 8
        self.country_place = len(CONTINENTS) + np.arange(countries)
        first = len(CONTINENTS) + countries
        self.city_place = first + np.arange(countries * cities).reshape(countries, cities)
        towns = names(random, countries * cities, 2, 4)
        self.place = {
            "id": np.arange(first + countries * cities),
            "name": np.array(CONTINENTS + COUNTRIES + [f"{name}_{i}" for i, name in enumerate(towns)], dtype=object),
            "type": np.repeat(np.array(["continent", "country", "city"], dtype=object), [len(CONTINENTS), countries, countries * cities]),
            "part_of": np.concatenate([
                np.full(len(CONTINENTS), -1), random.integers(0, len(CONTINENTS), countries),
                np.repeat(self.country_place, cities)]),
        }
        self.universities = np.arange(countries * 6).reshape(countries, 6)
        self.companies = countries * 6 + np.arange(countries * 12).reshape(countries, 12)
        self.university_city = random.integers(0, cities, (countries, 6))
        kinds = np.repeat(np.array(["university", "company"], dtype=object), [countries * 6, countries * 12])
        labels = names(random, countries * 18, 2, 4)
        self.organisation = {
            "id": np.arange(countries * 18),
            "name": np.array([f"{name}_{kind.capitalize()}" for name, kind in zip(labels, kinds)], dtype=object),
            "type": kinds,
            "place_id": np.concatenate([
                np.take_along_axis(self.city_place, self.university_city, 1).ravel(), np.repeat(self.country_place, 12)]),
        }

    def make_tags(self):
        random, classes, tags = self.random, 70, 4_000
        parent = np.array([-1] + [int(i * random.random() ** 1.5) for i in range(1, classes)])
        self.tagclass = {"id": np.arange(classes), "name": "Class_" + names(random, classes, 2, 3), "subclass_of": parent}
        self.tag = {"id": np.arange(tags), "name": names(random, tags, 3, 5), "class_id": 1 + zipf(random, classes - 1, tags)}

    # Persons, and whom they know.

    def make_persons(self):
        random, count = self.random, self.count
        created = np.sort(BEGIN + (random.random(count) * 2.7 * 365 * DAY).astype(np.int64))
        self.person_id, _ = numbered(created)
        country = zipf(random, len(COUNTRIES), count)
        city = zipf(random, self.city_place.shape[1], count, 0.5)
        firsts, lasts = names(random, 500, 2, 3), names(random, 1_500, 2, 4)
        # The names that many have are others in each country.
        first = (zipf(random, len(firsts), count, 1.0) + country * 37) % len(firsts)
        last = (zipf(random, len(lasts), count) + country * 61) % len(lasts)
        birthday = np.datetime64("1980-01-01") + random.integers(0, 365 * 11, count)
        ip = random.integers(1, 255, (count, 4))
        self.country, self.city, self.created = country, city, created
        self.ip = np.array([".".join(map(str, row)) for row in ip.tolist()], dtype=object)
        self.browser = np.array(BROWSERS, dtype=object)[zipf(random, len(BROWSERS), count)]
        emails = random.integers(1, 4, count)
        self.person = {
            "id": self.person_id, "first_name": firsts[first], "last_name": lasts[last],
            "gender": np.array(["female", "male"], dtype=object)[random.integers(0, 2, count)], "birthday": birthday,
            "created": times(created), "location_ip": self.ip, "browser": self.browser, "city_id": self.city_place[country, city],
            "languages": np.array([f"{COUNTRIES[c][:2].lower()};en" if c % 3 else "en" for c in country], dtype=object),
            "emails": np.array([
                ";".join(f"{name}{i}.{n}@mail.example" for n in range(amount))
                for i, (name, amount) in enumerate(zip(lasts[last], emails))], dtype=object),
        }
        self.make_interests()
        self.make_careers()

    def make_interests(self):
        random, tags = self.random, len(self.tag["id"])
        owner = np.repeat(np.arange(self.count), 1 + random.poisson(20, self.count))
        rank = zipf(random, tags, len(owner))
        local = random.random(len(owner)) < 0.6
        tag = np.where(local, (rank + self.country[owner] * 131) % tags, rank)
        self.main_interest = np.zeros(self.count, dtype=np.int64)
        self.main_interest[owner] = tag
        self.interest_person, self.interest_tag = unique_pairs(owner, tag)
        self.interests = Lists(self.interest_person, self.count)

    def make_careers(self):
        random, count = self.random, self.count
        home = np.where(random.random(count) < 0.9, self.country, zipf(random, len(COUNTRIES), count))
        studied = np.flatnonzero(random.random(count) < 0.8)
        self.university = self.universities[home, random.integers(0, self.universities.shape[1], count)]
        self.study = [studied, self.university[studied], random.integers(1998, 2014, len(studied))]
        owner = np.repeat(np.arange(count), random.poisson(2.2, count))
        home = np.where(random.random(len(owner)) < 0.8, self.country[owner], zipf(random, len(COUNTRIES), len(owner)))
        company = self.companies[home, random.integers(0, self.companies.shape[1], len(owner))]
        self.work = unique_pairs(owner, company, random.integers(1998, 2014, len(owner)))

    def make_knows(self):
        random, count = self.random, self.count
        mean = count ** (0.512 - 0.028 * np.log10(count))
        share = random.lognormal(0, 0.9, count)
        degree = np.minimum(share / share.mean() * mean, count / 4)
        degree[random.random(count) < 0.01] = 0
        ends = []
        orders = [
            (0.45, np.lexsort((random.random(count), self.university))),
            (0.45, np.lexsort((random.random(count), self.main_interest))),
            (0.10, random.permutation(count))]
        for part, order in orders:
            place = np.empty(count, dtype=np.int64)
            place[order] = np.arange(count)
            owner = np.repeat(np.arange(count), random.poisson(degree * part * 0.6))
            step = random.geometric(1 / (1.5 * mean), len(owner)) * random.choice([-1, 1], len(owner))
            ends.append((owner, order[(place[owner] + step) % count]))
        a, b = (np.concatenate(side) for side in zip(*ends))
        kept = (a != b) & (degree[a] > 0) & (degree[b] > 0)
        a, b = unique_pairs(np.minimum(a, b)[kept], np.maximum(a, b)[kept])
        created = later(random, np.maximum(self.created[a], self.created[b]) + 60_000)
        self.knows = unique_pairs(np.concatenate([a, b]), np.concatenate([b, a]), np.concatenate([created, created]))
        self.friends = Lists(self.knows[0], count)

    # Forums: a wall for each person, albums, groups.

    def make_forums(self):
        random, count = self.random, self.count
        albums = np.repeat(np.arange(count), random.poisson(3, count))
        groups = random.integers(0, count, count // 2)
        moderator = np.concatenate([np.arange(count), albums, groups])
        kind = np.repeat([0, 1, 2], [count, len(albums), len(groups)])
        created = np.where(kind == 0, self.created[moderator] + 10_000, later(random, self.created[moderator] + 20_000))
        self.forum_id, order = numbered(created)
        self.moderator, self.kind, self.forum_created = moderator[order], kind[order], created[order]
        tag = self.interest_tag[self.interests.draw(random, self.moderator)]
        first, last, label = self.person["first_name"], self.person["last_name"], self.tag["name"]
        self.title = np.array([
            f"Group for {label[tag[i]]} in {COUNTRIES[self.country[m]]}" if k == 2
            else f"{'Album %d' % (i % 17) if k else 'Wall'} of {first[m]} {last[m]}"
            for i, (k, m) in enumerate(zip(self.kind.tolist(), self.moderator.tolist()))], dtype=object)
        self.make_members()
        owner = np.repeat(np.arange(len(self.kind)), random.integers(0, 4, len(self.kind)))
        more = self.interest_tag[self.interests.draw(random, self.moderator[owner])]
        self.forum_tag, self.tag_of_forum = unique_pairs(
            np.concatenate([np.arange(len(tag)), owner]), np.concatenate([tag, more]))
        self.tags_of_forum = Lists(self.forum_tag, len(tag))

    def make_members(self):
        random, friends = self.random, self.friends
        # Walls have all friends of their owner, albums each with some chance, groups a few.
        chance = np.array([1.0, 0.5, 0.3])[self.kind]
        degree = friends.counts[self.moderator]
        forum = np.repeat(np.arange(len(self.kind)), degree)
        place = np.arange(len(forum)) - np.repeat(np.cumsum(degree) - degree, degree) + friends.starts[self.moderator[forum]]
        kept = random.random(len(forum)) < chance[forum]
        forum, place = forum[kept], place[kept]
        joined = np.maximum(self.knows[2][place], self.forum_created[forum]) + 1_000
        # Groups also have people of like interests.
        groups = np.flatnonzero(self.kind == 2)
        size = np.minimum(random.lognormal(3.3, 1.0, len(groups)), self.count / 5).astype(np.int64)
        more = np.repeat(groups, size)
        order = np.argsort(self.main_interest, kind="stable")
        position = np.empty(self.count, dtype=np.int64)
        position[order] = np.arange(self.count)
        step = random.geometric(1 / (1.0 + 2 * np.repeat(size, size))) * random.choice([-1, 1], len(more))
        others = order[(position[self.moderator[more]] + step) % self.count]
        since = later(random, np.maximum(self.created[others], self.forum_created[more]) + 1_000)
        forums, persons = np.concatenate([forum, more]), np.concatenate([self.knows[1][place], others])
        joined = np.concatenate([joined, since])
        kept = (persons != self.moderator[forums]) & (joined < END)
        self.member = unique_pairs(forums[kept], persons[kept], joined[kept])
        self.members = Lists(self.member[0], len(self.kind))

    # Messages.

    def writers(self, forum, moderators):
        """A writer for each, and when the writer came to the forum."""
        place = self.members.draw(self.random, forum)
        own = (place < 0) | (self.random.random(len(forum)) < moderators)
        place = np.maximum(place, 0)
        return (np.where(own, self.moderator[forum], self.member[1][place]),
                np.where(own, self.forum_created[forum], self.member[2][place]))

    def make_posts(self):
        random = self.random
        mean = np.where(self.kind == 0, 34, np.where(self.kind == 1, 13, 1.2 * self.members.counts))
        skew = random.lognormal(-0.4, 0.9, len(mean))
        forum = np.repeat(np.arange(len(mean)), random.poisson(mean * skew))
        photo = self.kind[forum] == 1
        writer, since = self.writers(forum, np.where(photo, 1.0, np.where(self.kind[forum] == 0, 0.5, 0.1)))
        created = later(random, since + 1_000, 1.2)
        self.writer, self.post_forum, self.sent, self.photo = writer, forum, created, photo
        self.parent = np.full(len(forum), -1)
        self.posts = len(forum)
        # Tags of the writer, or of the forum.
        owner = np.repeat(np.arange(self.posts), np.where(photo, 0, random.integers(0, 4, self.posts)))
        own = self.interest_tag[self.interests.draw(random, writer[owner])]
        place = self.tags_of_forum.draw(random, forum[owner])
        self.tags = [(owner, np.where(random.random(len(owner)) < 0.5, own, self.tag_of_forum[place]))]

    def make_comments(self):
        """Generation after generation of answers; a message's place is its number until all are sorted by time."""
        random = self.random
        liveliness = random.gamma(0.6, 1 / 0.6, self.posts)
        answers = np.where(self.photo, 0.1, 1.6) * liveliness
        base, parents = 0, np.arange(self.posts)
        forum, writers, sent, above = [self.post_forum], [self.writer], [self.sent], [self.parent]
        photos, tags = [self.photo], self.tags
        while len(parents):
            chosen = np.repeat(parents, random.poisson(answers))
            inside = chosen - base
            place, before = forum[-1][inside], sent[-1][inside]
            created = before + 1_000 + (random.exponential(0.5, len(chosen)) * DAY).astype(np.int64)
            writer, since = self.writers(place, 0.15)
            writer = np.where(since < created, writer, self.moderator[place])
            kept = created < END
            chosen, inside, place, created, writer = (x[kept] for x in (chosen, inside, place, created, writer))
            base += len(forum[-1])
            forum.append(place), writers.append(writer), sent.append(created), above.append(chosen)
            photos.append(np.zeros(len(place), dtype=bool))
            parents = base + np.arange(len(place))
            answers = np.full(len(place), 0.55)
            owner = np.repeat(np.arange(len(place)), random.integers(0, 3, len(place)))
            tags.append((base + owner, self.interest_tag[self.interests.draw(random, writer[owner])]))
        forum, writer, created, parent, photo = (np.concatenate(parts) for parts in (forum, writers, sent, above, photos))
        self.message_id, order = numbered(created)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        self.writer, self.sent, self.photo = writer[order], created[order], photo[order]
        self.home = forum[order]
        self.parent = np.where(parent[order] < 0, -1, rank[parent[order]])
        owner, tag = (np.concatenate(side) for side in zip(*tags))
        self.message_tag = unique_pairs(rank[owner], tag)
        away = random.random(len(order)) < 0.12
        self.message_country = np.where(away, zipf(random, len(COUNTRIES), len(order)), self.country[self.writer])

    def make_likes(self):
        random = self.random
        count = len(self.writer)
        message = np.repeat(np.arange(count), random.poisson(random.gamma(0.4, 0.9 / 0.4, count)))
        place = self.members.draw(random, self.home[message])
        liker = np.where(place < 0, self.moderator[self.home[message]], self.member[1][np.maximum(place, 0)])
        created = self.sent[message] + 1_000 + (random.exponential(1.5, len(message)) * DAY).astype(np.int64)
        kept = (liker != self.writer[message]) & (created < END) & (self.created[liker] < created)
        liker, message, created = unique_pairs(liker[kept], message[kept], created[kept])
        order = np.argsort(created, kind="stable")
        self.likes = liker[order], message[order], created[order]

    def contents(self):
        """The texts of messages: a few words of one long text, some of them short answers."""
        random, count = self.random, len(self.writer)
        text = " ".join(WORDS[i] for i in random.integers(0, len(WORDS), 20_000))
        start = random.integers(0, len(text) - 400, count).tolist()
        length = np.minimum(random.gamma(2.0, 45, count) + 10, 390).astype(np.int64).tolist()
        short = (random.random(count) < 0.3) & (self.parent >= 0)
        pick = random.integers(0, len(SHORT), count).tolist()
        return ["" if photo else SHORT[p] if s else f"About {text[a:a + n]}"
                for photo, s, p, a, n in zip(self.photo.tolist(), short.tolist(), pick, start, length)]

    # Files.

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        person, forum, message = self.person_id, self.forum_id, self.message_id

        def table(name, /, **columns):
            texts = [texts_of(column) for column in columns.values()]
            with open(os.path.join(folder, f"{name}.csv"), "w") as file:
                file.write(",".join(columns) + "\n")
                file.writelines(",".join(row) + "\n" for row in zip(*texts))

        for name in ("place", "organisation", "tagclass", "tag", "person"):
            table(name, **getattr(self, name))
        table("interest", person_id=person[self.interest_person], tag_id=self.interest_tag)
        table("study_at", person_id=person[self.study[0]], organisation_id=self.study[1], class_year=self.study[2])
        table("work_at", person_id=person[self.work[0]], organisation_id=self.work[1], work_from=self.work[2])
        table("knows", person1_id=person[self.knows[0]], person2_id=person[self.knows[1]], created=times(self.knows[2]))
        table("forum", id=forum, title=self.title, created=times(self.forum_created), moderator_id=person[self.moderator])
        table("forum_tag", forum_id=forum[self.forum_tag], tag_id=self.tag_of_forum)
        table("member", forum_id=forum[self.member[0]], person_id=person[self.member[1]], joined=times(self.member[2]))
        contents = self.contents()
        is_post = self.parent < 0
        table(
            "message", id=message, created=times(self.sent), creator_id=person[self.writer],
            place_id=self.country_place[self.message_country], forum_id=np.where(is_post, forum[self.home], -1),
            reply_of=np.where(is_post, -1, message[self.parent]),
            image_file=[f"photo{id}.jpg" if photo else "" for id, photo in zip(message.tolist(), self.photo.tolist())],
            content=contents, length=[str(len(content)) for content in contents], location_ip=self.ip[self.writer],
            browser=self.browser[self.writer])
        table("message_tag", message_id=message[self.message_tag[0]], tag_id=self.message_tag[1])
        table("likes", person_id=person[self.likes[0]], message_id=message[self.likes[1]], created=times(self.likes[2]))


def times(values):
    return np.asarray(values).astype("M8[ms]")


def texts_of(column):
    """The fields of a file: nothing where a number is below 0."""
    if isinstance(column, list):
        return column
    if column.dtype == object:
        return column.tolist()
    if column.dtype.kind == "M":
        return np.datetime_as_string(column).tolist()
    return ["" if value < 0 else str(value) for value in column.tolist()]
