"""Chooses parameters as LDBC curates them: so that executions of a query touch about equally much."""
import csv
import os
from collections import Counter, defaultdict

import numpy as np

COUNT = 10


class Parameters:
    def __init__(self, folder, seed):
        self.folder, self.random = folder, np.random.default_rng(seed + 1_000)
        self.friends = defaultdict(list)
        for a, b in self.rows("knows", "person1_id", "person2_id"):
            self.friends[int(a)].append(int(b))
        self.sent = sorted(time[:10] for (time,) in self.rows("message", "created"))
        self.people = [(int(id), name) for id, name in self.rows("person", "id", "first_name")]

    def rows(self, table, *columns):
        with open(os.path.join(self.folder, f"{table}.csv"), newline="") as file:
            reader = csv.reader(file)
            heads = next(reader)
            places = [heads.index(column) for column in columns]
            for row in reader:
                yield tuple(row[place] for place in places)

    def pick(self, values, count=COUNT):
        return [values[i] for i in self.random.integers(0, len(values), count)]

    def typical(self):
        """Of some persons those who have the most usual number of friends of friends."""
        known = sorted(self.friends)
        some = [known[i] for i in self.random.choice(len(known), min(len(known), 30 * COUNT), replace=False)]
        some.sort(key=lambda id: (len({c for b in self.friends[id] for c in self.friends[b]}), id))
        middle = max(0, len(some) // 2 - 2 * COUNT)
        chosen = some[middle:middle + 4 * COUNT]
        return [chosen[i] for i in self.random.permutation(len(chosen))[:COUNT]]

    def dates(self, least, most):
        """Days of which a share of all messages between these was sent before."""
        return [f"{self.sent[int(len(self.sent) * share)]} 00:00:00" for share in self.random.uniform(least, most, COUNT)]

    def sets(self):
        places = {int(id): (name, type) for id, name, type in self.rows("place", "id", "name", "type")}
        sent = Counter(places[int(id)][0] for (id,) in self.rows("message", "place_id"))
        countries = [name for name, _ in sent.most_common(12)]
        seats = [name for name, _ in Counter(
            places[int(id)][0] for id, type in self.rows("organisation", "place_id", "type") if type == "company").most_common()]
        seats = [name for name in countries if name in set(seats)]
        used = Counter(int(id) for (id,) in self.rows("message_tag", "tag_id"))
        tags = [(int(id), name, int(group)) for id, name, group in self.rows("tag", "id", "name", "class_id")]
        popular = [name for id, name, _ in sorted(tags, key=lambda tag: (-used[tag[0]], tag[0]))[:40]]
        weights = Counter()
        for id, _, group in tags:
            weights[group] += used[id]
        classes = {int(id): name for id, name in self.rows("tagclass", "id", "name")}
        middling = [classes[id] for id, _ in weights.most_common(15)]
        firsts = [name for name, _ in Counter(name for _, name in self.people).most_common(30)]
        person = self.typical()
        pairs = [list(pair) for pair in zip(self.pick(sorted(self.friends), COUNT - 1), self.pick(sorted(self.friends), COUNT - 1))]
        alone = [id for id, _ in self.people if id not in self.friends]
        posts, comments, parents = [], [], []
        for id, parent in self.rows("message", "id", "reply_of"):
            (comments if parent else posts).append(int(id))
            if parent:
                parents.append(int(parent))
        message = self.pick(posts, COUNT // 2) + self.pick(comments, COUNT - COUNT // 2)
        days = [60] * COUNT
        found = {
            "IC1": (person, self.pick(firsts)),
            "IC2": (person, self.dates(0.3, 0.9)),
            "IC3": (person, *zip(*(self.random.choice(countries, 2, replace=False).tolist() for _ in person)), self.dates(0.2, 0.8), days),
            "IC4": (person, self.dates(0.2, 0.8), days),
            "IC5": (person, self.dates(0.5, 0.9)),
            "IC6": (person, self.pick(popular)),
            "IC7": (person,),
            "IC8": (person,),
            "IC9": (person, self.dates(0.3, 0.9)),
            "IC10": (person, self.random.integers(1, 13, COUNT).tolist()),
            "IC11": (person, self.pick(seats), self.random.integers(2003, 2014, COUNT).tolist()),
            "IC12": (person, self.pick(middling)),
            "IS1": (person,), "IS2": (person,), "IS3": (person,),
            "IS4": (message,), "IS5": (message,), "IS6": (message,), "IS7": (self.pick(parents),),
        }
        sets = {name: [list(values) for values in zip(*columns)] for name, columns in found.items()}
        # There is no way to or from somebody without friends.
        sets["IC13"] = pairs + [[alone[0] if alone else pairs[0][0], pairs[0][1]]]
        sets["IC14"] = pairs
        order = [f"IC{n}" for n in range(1, 15)] + [f"IS{n}" for n in range(1, 8)]
        return {name: sets[name] for name in order}
