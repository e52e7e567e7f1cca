-- Database exported by Junction; load it with psql, or with \i in Junction's shell.
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SET check_function_bodies = off;
SET client_min_messages = warning;
SET timezone = 'UTC';
SET datestyle = 'ISO, MDY';
SET intervalstyle = 'postgres';
CREATE SCHEMA archive;
SET search_path = public, archive;
CREATE TYPE public.mood AS ENUM ('sad', 'ok', 'it''s "great"');
CREATE TYPE public.address AS (street text, number integer, moods public.mood[]);
CREATE TYPE public.home AS (place public.address, since date);
CREATE DOMAIN public.positive AS integer DEFAULT 1 NOT NULL CONSTRAINT positive_check CHECK (value > 0) CONSTRAINT positive_check1 CHECK (value <> 13);
CREATE SEQUENCE public.tickets AS smallint START WITH 10 INCREMENT BY -2 MINVALUE -100 MAXVALUE 50 CACHE 1 CYCLE;
CREATE SEQUENCE public.person_id_seq AS integer START WITH 1 INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 CACHE 1;
CREATE FUNCTION public.twice(a integer, b integer DEFAULT 7)
  RETURNS integer LANGUAGE sql
  AS $function$SELECT $1 * b$function$;
CREATE FUNCTION public.twice(a text)
  RETURNS SETOF text LANGUAGE sql
  AS $function$ SELECT a UNION ALL SELECT a $function$;
CREATE FUNCTION public.members(VARIADIC ids integer[])
  RETURNS TABLE(who integer, how public.mood) LANGUAGE plpgsql
  AS $function$ BEGIN RETURN QUERY SELECT id, state FROM person WHERE id = ANY (ids); END $function$;
CREATE TABLE public.person (
    id integer DEFAULT nextval('public.person_id_seq'::regclass) NOT NULL,
    name character varying(40) DEFAULT 'no ' || 'name' NOT NULL,
    state public.mood DEFAULT 'ok',
    homes public.home[],
    height numeric(5,2),
    born date,
    seen timestamp(3) with time zone DEFAULT now(),
    nap interval(2),
    bits bit(4),
    more bit varying(9),
    initial character(1) GENERATED ALWAYS AS (upper(SUBSTRING(name FROM 1 FOR 1))) STORED,
    ticket integer DEFAULT nextval('tickets'),
    age public.positive DEFAULT 1 NOT NULL,
    tags text[] DEFAULT ARRAY['a', 'b'],
    boss integer,
    doc jsonb,
    raw bytea,
    key uuid,
    at time(0) without time zone,
    kind bpchar,
    CONSTRAINT person_height_check CHECK (height BETWEEN 0.3 AND 2.9),
    CONSTRAINT born_and_seen CHECK (born IS NULL OR seen IS NULL OR born <= seen::date)
);
CREATE TABLE archive.club (
    code text COLLATE "sv-x-icu" NOT NULL,
    no bigint GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME archive.club_no_seq START WITH 5 INCREMENT BY 5 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1) NOT NULL
);
CREATE TABLE public.membership (
    person integer NOT NULL,
    code text NOT NULL,
    no bigint NOT NULL,
    since date DEFAULT CURRENT_DATE,
    fee real,
    CONSTRAINT free CHECK (fee IS DISTINCT FROM -1)
);
CREATE TABLE public.student (
    id integer DEFAULT nextval('public.person_id_seq'::regclass) NOT NULL,
    name character varying(40) DEFAULT 'no ' || 'name' NOT NULL,
    state public.mood DEFAULT 'ok',
    homes public.home[],
    height numeric(5,2),
    born date,
    seen timestamp(3) with time zone DEFAULT now(),
    nap interval(2),
    bits bit(4),
    more bit varying(9),
    initial character(1) GENERATED ALWAYS AS (upper(SUBSTRING(name FROM 1 FOR 1))) STORED,
    ticket integer DEFAULT nextval('tickets'),
    age public.positive DEFAULT 1 NOT NULL,
    tags text[] DEFAULT ARRAY['a', 'b'],
    boss integer,
    doc jsonb,
    raw bytea,
    key uuid,
    at time(0) without time zone,
    kind bpchar,
    course text,
    grade double precision
) INHERITS (public.person);
CREATE TABLE public.link (
    a integer NOT NULL,
    b integer NOT NULL
);
CREATE TABLE public.late (
    id integer NOT NULL,
    label text,
    number numeric DEFAULT 1.50
);
ALTER SEQUENCE public.person_id_seq OWNED BY public.person.id;
COPY public.person (id, name, state, homes, height, born, seen, nap, bits, more, ticket, age, tags, boss, doc, raw, key, at, kind) FROM stdin;
1	person 1	ok	\N	1.50	1990-01-02	2024-05-06 08:08:09.5+00	1 day 02:00:00	0001	001	1	2	{"tag 1",NULL}	\N	{"n": 1, "list": [1.5, null, "x"]}	\N	c4ca4238-a0b9-2382-0dcc-509a6f75849b	01:03:03	B
2	person 2	\N	\N	1.50	1990-01-03	2024-05-06 09:08:09.5+00	2 days 04:00:00	0010	010	2	3	{"tag 2",NULL}	1	{"n": 2, "list": [1.5, null, "x"]}	\\x0002	c81e728d-9d4c-2f63-6f06-7f89cc14862c	01:04:03	C
3	person 3	sad	\N	1.50	1990-01-04	2024-05-06 10:08:09.5+00	3 days 06:00:00	0011	011	3	4	{"tag 3",NULL}	1	\N	\N	eccbc87e-4b5c-e2fe-2830-8fd9f2a7baf3	01:05:03	D
4	person 4	ok	{"(\\"(\\"\\"High Street\\"\\",4,{ok})\\",2001-02-03)"}	1.50	1990-01-05	2024-05-06 11:08:09.5+00	4 days 08:00:00	0100	100	4	5	{"tag 4",NULL}	2	{"n": 4, "list": [1.5, null, "x"]}	\\x0004	a87ff679-a2f3-e71d-9181-a67b7542122c	01:06:03	E
5	person 5	\N	\N	\N	1990-01-06	2024-05-06 12:08:09.5+00	5 days 10:00:00	0101	101	5	6	{"tag 5",NULL}	2	{"n": 5, "list": [1.5, null, "x"]}	\N	e4da3b7f-bbce-2345-d777-2b0674a318d5	01:07:03	F
6	person 6	sad	\N	1.51	1990-01-07	2024-05-06 13:08:09.5+00	6 days 12:00:00	0110	110	6	7	{"tag 6",NULL}	3	\N	\\x0006	1679091c-5a88-0faf-6fb5-e6087eb1b2dc	01:08:03	G
7	person 7	ok	\N	1.51	1990-01-08	2024-05-06 14:08:09.5+00	7 days 14:00:00	0111	111	7	8	\N	3	{"n": 7, "list": [1.5, null, "x"]}	\N	8f14e45f-ceea-167a-5a36-dedd4bea2543	01:09:03	H
8	person 8	\N	{"(\\"(\\"\\"High Street\\"\\",8,{ok})\\",2001-02-03)"}	1.51	1990-01-09	2024-05-06 15:08:09.5+00	8 days 16:00:00	1000	000	8	9	{"tag 8",NULL}	4	{"n": 8, "list": [1.5, null, "x"]}	\\x0008	c9f0f895-fb98-ab91-59f5-1fd0297e236d	01:10:03	I
9	person 9	sad	\N	1.51	1990-01-10	2024-05-06 16:08:09.5+00	9 days 18:00:00	1001	001	9	10	{"tag 9",NULL}	4	\N	\N	45c48cce-2e2d-7fbd-ea1a-fc51c7c6ad26	01:11:03	J
10	person 10	ok	\N	\N	1990-01-11	2024-05-06 17:08:09.5+00	10 days 20:00:00	1010	010	10	11	{"tag 10",NULL}	5	{"n": 10, "list": [1.5, null, "x"]}	\\x000a	d3d94468-02a4-4259-755d-38e6d163e820	01:12:03	K
11	person 11	\N	\N	1.51	1990-01-12	2024-05-06 18:08:09.5+00	11 days 22:00:00	1011	011	11	12	{"tag 11",NULL}	5	{"n": 11, "list": [1.5, null, "x"]}	\N	6512bd43-d9ca-a6e0-2c99-0b0a82652dca	01:13:03	L
12	person 12	sad	{"(\\"(\\"\\"High Street\\"\\",12,{ok})\\",2001-02-03)"}	1.51	1990-01-13	2024-05-06 19:08:09.5+00	12 days 24:00:00	1100	100	12	1	{"tag 12",NULL}	6	\N	\\x000c	c20ad4d7-6fe9-7759-aa27-a0c99bff6710	01:14:03	M
13	person 13	ok	\N	1.51	1990-01-14	2024-05-06 20:08:09.5+00	13 days 26:00:00	1101	101	13	2	{"tag 13",NULL}	6	{"n": 13, "list": [1.5, null, "x"]}	\N	c51ce410-c124-a10e-0db5-e4b97fc2af39	01:15:03	N
14	person 14	\N	\N	1.51	1990-01-15	2024-05-06 21:08:09.5+00	14 days 28:00:00	1110	110	14	3	\N	7	{"n": 14, "list": [1.5, null, "x"]}	\\x000e	aab32389-22bc-c25a-6f60-6eb525ffdc56	01:16:03	O
15	person 15	sad	\N	\N	1990-01-16	2024-05-06 22:08:09.5+00	15 days 30:00:00	1111	111	15	4	{"tag 15",NULL}	7	\N	\N	9bf31c7f-f062-936a-96d3-c8bd1f8f2ff3	01:17:03	P
16	person 16	ok	{"(\\"(\\"\\"High Street\\"\\",16,{ok})\\",2001-02-03)"}	1.52	1990-01-17	2024-05-06 23:08:09.5+00	16 days 32:00:00	0000	000	16	5	{"tag 16",NULL}	8	{"n": 16, "list": [1.5, null, "x"]}	\\x0010	c74d97b0-1eae-257e-44aa-9d5bade97baf	01:18:03	Q
17	person 17	\N	\N	1.52	1990-01-18	2024-05-07 00:08:09.5+00	17 days 34:00:00	0001	001	17	6	{"tag 17",NULL}	8	{"n": 17, "list": [1.5, null, "x"]}	\N	70efdf2e-c9b0-8607-9795-c442636b55fb	01:19:03	R
18	person 18	sad	\N	1.52	1990-01-19	2024-05-07 01:08:09.5+00	18 days 36:00:00	0010	010	18	7	{"tag 18",NULL}	9	\N	\\x0012	6f4922f4-5568-161a-8cdf-4ad2299f6d23	01:20:03	S
19	person 19	ok	\N	1.52	1990-01-20	2024-05-07 02:08:09.5+00	19 days 38:00:00	0011	011	19	8	{"tag 19",NULL}	9	{"n": 19, "list": [1.5, null, "x"]}	\N	1f0e3dad-9990-8345-f743-9f8ffabdffc4	01:21:03	T
20	person 20	\N	{"(\\"(\\"\\"High Street\\"\\",20,{ok})\\",2001-02-03)"}	\N	1990-01-21	2024-05-07 03:08:09.5+00	20 days 40:00:00	0100	100	20	9	{"tag 20",NULL}	10	{"n": 20, "list": [1.5, null, "x"]}	\\x0014	98f13708-2101-94c4-7568-7be6106a3b84	01:22:03	U
21	person 21	sad	\N	1.52	1990-01-22	2024-05-07 04:08:09.5+00	21 days 42:00:00	0101	101	21	10	\N	10	\N	\N	3c59dc04-8e88-5024-3be8-079a5c74d079	01:23:03	V
22	person 22	ok	\N	1.52	1990-01-23	2024-05-07 05:08:09.5+00	22 days 44:00:00	0110	110	22	11	{"tag 22",NULL}	11	{"n": 22, "list": [1.5, null, "x"]}	\\x0016	b6d767d2-f8ed-5d21-a44b-0e5886680cb9	01:24:03	W
23	person 23	\N	\N	1.52	1990-01-24	2024-05-07 06:08:09.5+00	23 days 46:00:00	0111	111	23	12	{"tag 23",NULL}	11	{"n": 23, "list": [1.5, null, "x"]}	\N	37693cfc-7480-49e4-5d87-b8c7d8b9aacd	01:25:03	X
24	person 24	sad	{"(\\"(\\"\\"High Street\\"\\",24,{ok})\\",2001-02-03)"}	1.52	1990-01-25	2024-05-07 07:08:09.5+00	24 days 48:00:00	1000	000	24	1	{"tag 24",NULL}	12	\N	\\x0018	1ff1de77-4005-f8da-13f4-2943881c655f	01:26:03	Y
25	person 25	ok	\N	\N	1990-01-26	2024-05-07 08:08:09.5+00	25 days 50:00:00	1001	001	25	2	{"tag 25",NULL}	12	{"n": 25, "list": [1.5, null, "x"]}	\N	8e296a06-7a37-5633-70de-d05f5a3bf3ec	01:27:03	Z
26	person 26	\N	\N	1.53	1990-01-27	2024-05-07 09:08:09.5+00	26 days 52:00:00	1010	010	26	3	{"tag 26",NULL}	13	{"n": 26, "list": [1.5, null, "x"]}	\\x001a	4e732ced-3463-d06d-e0ca-9a15b6153677	01:28:03	A
27	person 27	sad	\N	1.53	1990-01-28	2024-05-07 10:08:09.5+00	27 days 54:00:00	1011	011	27	4	{"tag 27",NULL}	13	\N	\N	02e74f10-e032-7ad8-68d1-38f2b4fdd6f0	01:29:03	B
28	person 28	ok	{"(\\"(\\"\\"High Street\\"\\",28,{ok})\\",2001-02-03)"}	1.53	1990-01-29	2024-05-07 11:08:09.5+00	28 days 56:00:00	1100	100	28	5	\N	14	{"n": 28, "list": [1.5, null, "x"]}	\\x001c	33e75ff0-9dd6-01bb-e69f-351039152189	01:30:03	C
29	person 29	\N	\N	1.53	1990-01-30	2024-05-07 12:08:09.5+00	29 days 58:00:00	1101	101	29	6	{"tag 29",NULL}	14	{"n": 29, "list": [1.5, null, "x"]}	\N	6ea9ab1b-aa0e-fb9e-1909-4440c317e21b	01:31:03	D
30	person 30	sad	\N	\N	1990-01-31	2024-05-07 13:08:09.5+00	30 days 60:00:00	1110	110	30	7	{"tag 30",NULL}	15	\N	\\x001e	34173cb3-8f07-f89d-dbeb-c2ac9128303f	01:32:03	E
31	person 31	ok	\N	1.53	1990-02-01	2024-05-07 14:08:09.5+00	31 days 62:00:00	1111	111	31	8	{"tag 31",NULL}	15	{"n": 31, "list": [1.5, null, "x"]}	\N	c16a5320-fa47-5530-d958-3c34fd356ef5	01:33:03	F
32	person 32	\N	{"(\\"(\\"\\"High Street\\"\\",32,{ok})\\",2001-02-03)"}	1.53	1990-02-02	2024-05-07 15:08:09.5+00	32 days 64:00:00	0000	000	32	9	{"tag 32",NULL}	16	{"n": 32, "list": [1.5, null, "x"]}	\\x0020	6364d3f0-f495-b6ab-9dcf-8d3b5c6e0b01	01:34:03	G
33	person 33	sad	\N	1.53	1990-02-03	2024-05-07 16:08:09.5+00	33 days 66:00:00	0001	001	33	10	{"tag 33",NULL}	16	\N	\N	182be0c5-cdcd-5072-bb18-64cdee4d3d6e	01:35:03	H
34	person 34	ok	\N	1.53	1990-02-04	2024-05-07 17:08:09.5+00	34 days 68:00:00	0010	010	34	11	{"tag 34",NULL}	17	{"n": 34, "list": [1.5, null, "x"]}	\\x0022	e369853d-f766-fa44-e1ed-0ff613f563bd	01:36:03	I
35	person 35	\N	\N	\N	1990-02-05	2024-05-07 18:08:09.5+00	35 days 70:00:00	0011	011	35	12	\N	17	{"n": 35, "list": [1.5, null, "x"]}	\N	1c383cd3-0b7c-298a-b502-93adfecb7b18	01:37:03	J
36	person 36	sad	{"(\\"(\\"\\"High Street\\"\\",36,{ok})\\",2001-02-03)"}	1.54	1990-02-06	2024-05-07 19:08:09.5+00	36 days 72:00:00	0100	100	36	1	{"tag 36",NULL}	18	\N	\\x0024	19ca14e7-ea63-28a4-2e0e-b13d585e4c22	01:38:03	K
37	person 37	ok	\N	1.54	1990-02-07	2024-05-07 20:08:09.5+00	37 days 74:00:00	0101	101	37	2	{"tag 37",NULL}	18	{"n": 37, "list": [1.5, null, "x"]}	\N	a5bfc9e0-7964-f8dd-deb9-5fc584cd965d	01:39:03	L
38	person 38	\N	\N	1.54	1990-02-08	2024-05-07 21:08:09.5+00	38 days 76:00:00	0110	110	38	3	{"tag 38",NULL}	19	{"n": 38, "list": [1.5, null, "x"]}	\\x0026	a5771bce-93e2-00c3-6f7c-d9dfd0e5deaa	01:40:03	M
39	person 39	sad	\N	1.54	1990-02-09	2024-05-07 22:08:09.5+00	39 days 78:00:00	0111	111	39	4	{"tag 39",NULL}	19	\N	\N	d67d8ab4-f4c1-0bf2-2aa3-53e27879133c	01:41:03	N
40	person 40	ok	{"(\\"(\\"\\"High Street\\"\\",40,{ok})\\",2001-02-03)"}	\N	1990-02-10	2024-05-07 23:08:09.5+00	40 days 80:00:00	1000	000	40	5	{"tag 40",NULL}	20	{"n": 40, "list": [1.5, null, "x"]}	\\x0028	d645920e-395f-edad-7bbb-ed0eca3fe2e0	01:42:03	O
41	person 41	\N	\N	1.54	1990-02-11	2024-05-08 00:08:09.5+00	41 days 82:00:00	1001	001	41	6	{"tag 41",NULL}	20	{"n": 41, "list": [1.5, null, "x"]}	\N	3416a75f-4cea-9109-507c-acd8e2f2aefc	01:43:03	P
42	person 42	sad	\N	1.54	1990-02-12	2024-05-08 01:08:09.5+00	42 days 84:00:00	1010	010	42	7	\N	21	\N	\\x002a	a1d0c6e8-3f02-7327-d846-1063f4ac58a6	01:44:03	Q
43	person 43	ok	\N	1.54	1990-02-13	2024-05-08 02:08:09.5+00	43 days 86:00:00	1011	011	43	8	{"tag 43",NULL}	21	{"n": 43, "list": [1.5, null, "x"]}	\N	17e62166-fc85-86df-a4d1-bc0e1742c08b	01:45:03	R
44	person 44	\N	{"(\\"(\\"\\"High Street\\"\\",44,{ok})\\",2001-02-03)"}	1.54	1990-02-14	2024-05-08 03:08:09.5+00	44 days 88:00:00	1100	100	44	9	{"tag 44",NULL}	22	{"n": 44, "list": [1.5, null, "x"]}	\\x002c	f7177163-c833-dff4-b38f-c8d2872f1ec6	01:46:03	S
45	person 45	sad	\N	\N	1990-02-15	2024-05-08 04:08:09.5+00	45 days 90:00:00	1101	101	45	10	{"tag 45",NULL}	22	\N	\N	6c8349cc-7260-ae62-e3b1-396831a8398f	01:47:03	T
46	person 46	ok	\N	1.55	1990-02-16	2024-05-08 05:08:09.5+00	46 days 92:00:00	1110	110	46	11	{"tag 46",NULL}	23	{"n": 46, "list": [1.5, null, "x"]}	\\x002e	d9d4f495-e875-a2e0-75a1-a4a6e1b9770f	01:48:03	U
47	person 47	\N	\N	1.55	1990-02-17	2024-05-08 06:08:09.5+00	47 days 94:00:00	1111	111	47	12	{"tag 47",NULL}	23	{"n": 47, "list": [1.5, null, "x"]}	\N	67c6a1e7-ce56-d3d6-fa74-8ab6d9af3fd7	01:49:03	V
48	person 48	sad	{"(\\"(\\"\\"High Street\\"\\",48,{ok})\\",2001-02-03)"}	1.55	1990-02-18	2024-05-08 07:08:09.5+00	48 days 96:00:00	0000	000	48	1	{"tag 48",NULL}	24	\N	\\x0030	642e92ef-b794-2173-4881-b53e1e1b18b6	01:50:03	W
49	person 49	ok	\N	1.55	1990-02-19	2024-05-08 08:08:09.5+00	49 days 98:00:00	0001	001	49	2	\N	24	{"n": 49, "list": [1.5, null, "x"]}	\N	f457c545-a9de-d88f-18ec-ee47145a72c0	01:51:03	X
50	a name that is longer than twelve bytes	\N	\N	\N	1990-02-20	2024-05-08 09:08:09.5+00	50 days 100:00:00	0010	010	50	3	{"tag 50",NULL}	25	{"n": 50, "list": [1.5, null, "x"]}	\\x0032	c0c7c76d-30bd-3dca-efc9-6f40275bdc0a	01:52:03	Y
51	person 51	sad	\N	1.55	1990-02-21	2024-05-08 10:08:09.5+00	51 days 102:00:00	0011	011	51	4	{"tag 51",NULL}	25	\N	\N	2838023a-778d-faec-dc21-2708f721b788	01:53:03	Z
52	person 52	ok	{"(\\"(\\"\\"High Street\\"\\",52,{ok})\\",2001-02-03)"}	1.55	1990-02-22	2024-05-08 11:08:09.5+00	52 days 104:00:00	0100	100	52	5	{"tag 52",NULL}	26	{"n": 52, "list": [1.5, null, "x"]}	\\x0034	9a115815-4dfa-42ca-ddbd-0694a4e9bdc8	01:54:03	A
53	person 53	\N	\N	1.55	1990-02-23	2024-05-08 12:08:09.5+00	53 days 106:00:00	0101	101	53	6	{"tag 53",NULL}	26	{"n": 53, "list": [1.5, null, "x"]}	\N	d82c8d16-19ad-8176-d665-453cfb2e55f0	01:55:03	B
54	person 54	sad	\N	1.55	1990-02-24	2024-05-08 13:08:09.5+00	54 days 108:00:00	0110	110	54	7	{"tag 54",NULL}	27	\N	\\x0036	a684ecee-e76f-c522-7732-86a895bc8436	01:56:03	C
55	person 55	ok	\N	\N	1990-02-25	2024-05-08 14:08:09.5+00	55 days 110:00:00	0111	111	55	8	{"tag 55",NULL}	27	{"n": 55, "list": [1.5, null, "x"]}	\N	b53b3a3d-6ab9-0ce0-2682-29151c9bde11	01:57:03	D
56	person 56	\N	{"(\\"(\\"\\"High Street\\"\\",56,{ok})\\",2001-02-03)"}	1.56	1990-02-26	2024-05-08 15:08:09.5+00	56 days 112:00:00	1000	000	56	9	\N	28	{"n": 56, "list": [1.5, null, "x"]}	\\x0038	9f61408e-3afb-633e-50cd-f1b20de6f466	01:58:03	E
57	person 57	sad	\N	1.56	1990-02-27	2024-05-08 16:08:09.5+00	57 days 114:00:00	1001	001	57	10	{"tag 57",NULL}	28	\N	\N	72b32a1f-754b-a1c0-9b36-95e0cb6cde7f	01:59:03	F
58	person 58	ok	\N	1.56	1990-02-28	2024-05-08 17:08:09.5+00	58 days 116:00:00	1010	010	58	11	{"tag 58",NULL}	29	{"n": 58, "list": [1.5, null, "x"]}	\\x003a	66f041e1-6a60-928b-05a7-e228a89c3799	02:00:03	G
59	person 59	\N	\N	1.56	1990-03-01	2024-05-08 18:08:09.5+00	59 days 118:00:00	1011	011	59	12	{"tag 59",NULL}	29	{"n": 59, "list": [1.5, null, "x"]}	\N	093f65e0-80a2-95f8-076b-1c5722a46aa2	02:01:03	H
60	person 60	sad	{"(\\"(\\"\\"High Street\\"\\",60,{ok})\\",2001-02-03)"}	\N	1990-03-02	2024-05-08 19:08:09.5+00	60 days 120:00:00	1100	100	60	1	{"tag 60",NULL}	30	\N	\\x003c	072b030b-a126-b2f4-b237-4f342be9ed44	02:02:03	I
61	person 61	ok	\N	1.56	1990-03-03	2024-05-08 20:08:09.5+00	61 days 122:00:00	1101	101	61	2	{"tag 61",NULL}	30	{"n": 61, "list": [1.5, null, "x"]}	\N	7f39f831-7fbd-b198-8ef4-c628eba02591	02:03:03	J
62	person 62	\N	\N	1.56	1990-03-04	2024-05-08 21:08:09.5+00	62 days 124:00:00	1110	110	62	3	{"tag 62",NULL}	31	{"n": 62, "list": [1.5, null, "x"]}	\\x003e	44f683a8-4163-b352-3afe-57c2e008bc8c	02:04:03	K
63	person 63	sad	\N	1.56	1990-03-05	2024-05-08 22:08:09.5+00	63 days 126:00:00	1111	111	63	4	\N	31	\N	\N	03afdbd6-6e79-29b1-25f8-597834fa83a4	02:05:03	L
64	person 64	ok	{"(\\"(\\"\\"High Street\\"\\",64,{ok})\\",2001-02-03)"}	1.56	1990-03-06	2024-05-08 23:08:09.5+00	64 days 128:00:00	0000	000	64	5	{"tag 64",NULL}	32	{"n": 64, "list": [1.5, null, "x"]}	\\x0040	ea5d2f1c-4608-232e-07d3-aa3d998e5135	02:06:03	M
65	person 65	\N	\N	\N	1990-03-07	2024-05-09 00:08:09.5+00	65 days 130:00:00	0001	001	65	6	{"tag 65",NULL}	32	{"n": 65, "list": [1.5, null, "x"]}	\N	fc490ca4-5c00-b124-9bbe-3554a4fdf6fb	02:07:03	N
66	person 66	sad	\N	1.57	1990-03-08	2024-05-09 01:08:09.5+00	66 days 132:00:00	0010	010	66	7	{"tag 66",NULL}	33	\N	\\x0042	3295c76a-cbf4-caae-d33c-36b1b5fc2cb1	02:08:03	O
67	person 67	ok	\N	1.57	1990-03-09	2024-05-09 02:08:09.5+00	67 days 134:00:00	0011	011	67	8	{"tag 67",NULL}	33	{"n": 67, "list": [1.5, null, "x"]}	\N	735b90b4-5681-25ed-6c3f-678819b6e058	02:09:03	P
68	person 68	\N	{"(\\"(\\"\\"High Street\\"\\",68,{ok})\\",2001-02-03)"}	1.57	1990-03-10	2024-05-09 03:08:09.5+00	68 days 136:00:00	0100	100	68	9	{"tag 68",NULL}	34	{"n": 68, "list": [1.5, null, "x"]}	\\x0044	a3f390d8-8e4c-41f2-747b-fa2f1b5f87db	02:10:03	Q
69	person 69	sad	\N	1.57	1990-03-11	2024-05-09 04:08:09.5+00	69 days 138:00:00	0101	101	69	10	{"tag 69",NULL}	34	\N	\N	14bfa6bb-1487-5e45-bba0-28a21ed38046	02:11:03	R
70	person 70	ok	\N	\N	1990-03-12	2024-05-09 05:08:09.5+00	70 days 140:00:00	0110	110	70	11	\N	35	{"n": 70, "list": [1.5, null, "x"]}	\\x0046	7cbbc409-ec99-0f19-c78c-75bd1e06f215	02:12:03	S
71	person 71	\N	\N	1.57	1990-03-13	2024-05-09 06:08:09.5+00	71 days 142:00:00	0111	111	71	12	{"tag 71",NULL}	35	{"n": 71, "list": [1.5, null, "x"]}	\N	e2c420d9-28d4-bf8c-e0ff-2ec19b371514	02:13:03	T
72	person 72	sad	{"(\\"(\\"\\"High Street\\"\\",72,{ok})\\",2001-02-03)"}	1.57	1990-03-14	2024-05-09 07:08:09.5+00	72 days 144:00:00	1000	000	72	1	{"tag 72",NULL}	36	\N	\\x0048	32bb90e8-976a-ab52-98d5-da10fe66f21d	02:14:03	U
73	person 73	ok	\N	1.57	1990-03-15	2024-05-09 08:08:09.5+00	73 days 146:00:00	1001	001	73	2	{"tag 73",NULL}	36	{"n": 73, "list": [1.5, null, "x"]}	\N	d2ddea18-f006-65ce-8623-e36bd4e3c7c5	02:15:03	V
74	person 74	\N	\N	1.57	1990-03-16	2024-05-09 09:08:09.5+00	74 days 148:00:00	1010	010	74	3	{"tag 74",NULL}	37	{"n": 74, "list": [1.5, null, "x"]}	\\x004a	ad61ab14-3223-efbc-24c7-d2583be69251	02:16:03	W
75	person 75	sad	\N	\N	1990-03-17	2024-05-09 10:08:09.5+00	75 days 150:00:00	1011	011	75	4	{"tag 75",NULL}	37	\N	\N	d09bf415-44a3-365a-46c9-077ebb5e35c3	02:17:03	X
76	person 76	ok	{"(\\"(\\"\\"High Street\\"\\",76,{ok})\\",2001-02-03)"}	1.58	1990-03-18	2024-05-09 11:08:09.5+00	76 days 152:00:00	1100	100	76	5	{"tag 76",NULL}	38	{"n": 76, "list": [1.5, null, "x"]}	\\x004c	fbd7939d-6749-97cd-b469-2d34de8633c4	02:18:03	Y
77	person 77	\N	\N	1.58	1990-03-19	2024-05-09 12:08:09.5+00	77 days 154:00:00	1101	101	77	6	\N	38	{"n": 77, "list": [1.5, null, "x"]}	\N	28dd2c79-55ce-9264-5624-0b2ff0100bde	02:19:03	Z
78	person 78	sad	\N	1.58	1990-03-20	2024-05-09 13:08:09.5+00	78 days 156:00:00	1110	110	78	7	{"tag 78",NULL}	39	\N	\\x004e	35f4a8d4-65e6-e1ed-c05f-3d8ab658c551	02:20:03	A
79	person 79	ok	\N	1.58	1990-03-21	2024-05-09 14:08:09.5+00	79 days 158:00:00	1111	111	79	8	{"tag 79",NULL}	39	{"n": 79, "list": [1.5, null, "x"]}	\N	d1fe173d-08e9-5939-7adf-34b1d77e88d7	02:21:03	B
80	person 80	\N	{"(\\"(\\"\\"High Street\\"\\",80,{ok})\\",2001-02-03)"}	\N	1990-03-22	2024-05-09 15:08:09.5+00	80 days 160:00:00	0000	000	80	9	{"tag 80",NULL}	40	{"n": 80, "list": [1.5, null, "x"]}	\\x0050	f033ab37-c302-01f7-3f14-2449d037028d	02:22:03	C
81	person 81	sad	\N	1.58	1990-03-23	2024-05-09 16:08:09.5+00	81 days 162:00:00	0001	001	81	10	{"tag 81",NULL}	40	\N	\N	43ec517d-68b6-edd3-015b-3edc9a11367b	02:23:03	D
82	person 82	ok	\N	1.58	1990-03-24	2024-05-09 17:08:09.5+00	82 days 164:00:00	0010	010	82	11	{"tag 82",NULL}	41	{"n": 82, "list": [1.5, null, "x"]}	\\x0052	9778d5d2-19c5-080b-9a6a-17bef029331c	02:24:03	E
83	person 83	\N	\N	1.58	1990-03-25	2024-05-09 18:08:09.5+00	83 days 166:00:00	0011	011	83	12	{"tag 83",NULL}	41	{"n": 83, "list": [1.5, null, "x"]}	\N	fe9fc289-c3ff-0af1-42b6-d3bead98a923	02:25:03	F
84	person 84	sad	{"(\\"(\\"\\"High Street\\"\\",84,{ok})\\",2001-02-03)"}	1.58	1990-03-26	2024-05-09 19:08:09.5+00	84 days 168:00:00	0100	100	84	1	\N	42	\N	\\x0054	68d30a95-9472-8bc3-9aa2-4be94b319d21	02:26:03	G
85	person 85	ok	\N	\N	1990-03-27	2024-05-09 20:08:09.5+00	85 days 170:00:00	0101	101	85	2	{"tag 85",NULL}	42	{"n": 85, "list": [1.5, null, "x"]}	\N	3ef81541-6f77-5098-fe97-7004015c6193	02:27:03	H
86	person 86	\N	\N	1.59	1990-03-28	2024-05-09 21:08:09.5+00	86 days 172:00:00	0110	110	86	3	{"tag 86",NULL}	43	{"n": 86, "list": [1.5, null, "x"]}	\\x0056	93db85ed-909c-1383-8ff9-5ccfa94cebd9	02:28:03	I
87	person 87	sad	\N	1.59	1990-03-29	2024-05-09 22:08:09.5+00	87 days 174:00:00	0111	111	87	4	{"tag 87",NULL}	43	\N	\N	c7e1249f-fc03-eb9d-ed90-8c236bd1996d	02:29:03	J
88	person 88	ok	{"(\\"(\\"\\"High Street\\"\\",88,{ok})\\",2001-02-03)"}	1.59	1990-03-30	2024-05-09 23:08:09.5+00	88 days 176:00:00	1000	000	88	5	{"tag 88",NULL}	44	{"n": 88, "list": [1.5, null, "x"]}	\\x0058	2a38a4a9-316c-49e5-a833-517c45d31070	02:30:03	K
89	person 89	\N	\N	1.59	1990-03-31	2024-05-10 00:08:09.5+00	89 days 178:00:00	1001	001	89	6	{"tag 89",NULL}	44	{"n": 89, "list": [1.5, null, "x"]}	\N	7647966b-7343-c290-4867-3252e490f736	02:31:03	L
90	person 90	sad	\N	\N	1990-04-01	2024-05-10 01:08:09.5+00	90 days 180:00:00	1010	010	90	7	{"tag 90",NULL}	45	\N	\\x005a	8613985e-c49e-b8f7-57ae-6439e879bb2a	02:32:03	M
91	person 91	ok	\N	1.59	1990-04-02	2024-05-10 02:08:09.5+00	91 days 182:00:00	1011	011	91	8	\N	45	{"n": 91, "list": [1.5, null, "x"]}	\N	54229abf-cfa5-649e-7003-b83dd4755294	02:33:03	N
92	person 92	\N	{"(\\"(\\"\\"High Street\\"\\",92,{ok})\\",2001-02-03)"}	1.59	1990-04-03	2024-05-10 03:08:09.5+00	92 days 184:00:00	1100	100	92	9	{"tag 92",NULL}	46	{"n": 92, "list": [1.5, null, "x"]}	\\x005c	92cc2275-32d1-7e56-e079-02b254dfad10	02:34:03	O
93	person 93	sad	\N	1.59	1990-04-04	2024-05-10 04:08:09.5+00	93 days 186:00:00	1101	101	93	10	{"tag 93",NULL}	46	\N	\N	98dce83d-a57b-0395-e163-467c9dae521b	02:35:03	P
94	person 94	ok	\N	1.59	1990-04-05	2024-05-10 05:08:09.5+00	94 days 188:00:00	1110	110	94	11	{"tag 94",NULL}	47	{"n": 94, "list": [1.5, null, "x"]}	\\x005e	f4b9ec30-ad9f-68f8-9b29-639786cb62ef	02:36:03	Q
95	person 95	\N	\N	\N	1990-04-06	2024-05-10 06:08:09.5+00	95 days 190:00:00	1111	111	95	12	{"tag 95",NULL}	47	{"n": 95, "list": [1.5, null, "x"]}	\N	812b4ba2-87f5-ee0b-c9d4-3bbf5bbe87fb	02:37:03	R
96	person 96	sad	{"(\\"(\\"\\"High Street\\"\\",96,{ok})\\",2001-02-03)"}	1.60	1990-04-07	2024-05-10 07:08:09.5+00	96 days 192:00:00	0000	000	96	1	{"tag 96",NULL}	48	\N	\\x0060	26657d5f-f902-0d2a-befe-558796b99584	02:38:03	S
97	person 97	ok	\N	1.60	1990-04-08	2024-05-10 08:08:09.5+00	97 days 194:00:00	0001	001	97	2	{"tag 97",NULL}	48	{"n": 97, "list": [1.5, null, "x"]}	\N	e2ef524f-bf3d-9fe6-11d5-a8e90fefdc9c	02:39:03	T
98	person 98	\N	\N	1.60	1990-04-09	2024-05-10 09:08:09.5+00	98 days 196:00:00	0010	010	98	3	\N	49	{"n": 98, "list": [1.5, null, "x"]}	\\x0062	ed3d2c21-991e-3bef-5e06-9713af9fa6ca	02:40:03	U
99	person 99	sad	\N	1.60	1990-04-10	2024-05-10 10:08:09.5+00	99 days 198:00:00	0011	011	99	4	{"tag 99",NULL}	49	\N	\N	ac627ab1-ccbd-b62e-c96e-702f07f6425b	02:41:03	V
100	a name that is longer than twelve bytes	ok	{"(\\"(\\"\\"High Street\\"\\",100,{ok})\\",2001-02-03)"}	\N	1990-04-11	2024-05-10 11:08:09.5+00	100 days 200:00:00	0100	100	100	5	{"tag 100",NULL}	50	{"n": 100, "list": [1.5, null, "x"]}	\\x0064	f899139d-f5e1-0593-9643-1415e770c6dd	02:42:03	W
101	person 101	\N	\N	1.60	1990-04-12	2024-05-10 12:08:09.5+00	101 days 202:00:00	0101	101	101	6	{"tag 101",NULL}	50	{"n": 101, "list": [1.5, null, "x"]}	\N	38b3eff8-baf5-6627-478e-c76a704e9b52	02:43:03	X
102	person 102	sad	\N	1.60	1990-04-13	2024-05-10 13:08:09.5+00	102 days 204:00:00	0110	110	102	7	{"tag 102",NULL}	51	\N	\\x0066	ec895663-7a99-787b-d197-eacd77acce5e	02:44:03	Y
103	person 103	ok	\N	1.60	1990-04-14	2024-05-10 14:08:09.5+00	103 days 206:00:00	0111	111	103	8	{"tag 103",NULL}	51	{"n": 103, "list": [1.5, null, "x"]}	\N	6974ce5a-c660-610b-44d9-b9fed0ff9548	02:45:03	Z
104	person 104	\N	{"(\\"(\\"\\"High Street\\"\\",104,{ok})\\",2001-02-03)"}	1.60	1990-04-15	2024-05-10 15:08:09.5+00	104 days 208:00:00	1000	000	104	9	{"tag 104",NULL}	52	{"n": 104, "list": [1.5, null, "x"]}	\\x0068	c9e1074f-5b3f-9fc8-ea15-d152add07294	02:46:03	A
105	person 105	sad	\N	\N	1990-04-16	2024-05-10 16:08:09.5+00	105 days 210:00:00	1001	001	105	10	\N	52	\N	\N	65b9eea6-e1cc-6bb9-f0cd-2a47751a186f	02:47:03	B
106	person 106	ok	\N	1.61	1990-04-17	2024-05-10 17:08:09.5+00	106 days 212:00:00	1010	010	106	11	{"tag 106",NULL}	53	{"n": 106, "list": [1.5, null, "x"]}	\\x006a	f0935e4c-d592-0aa6-c7c9-96a5ee53a70f	02:48:03	C
107	person 107	\N	\N	1.61	1990-04-18	2024-05-10 18:08:09.5+00	107 days 214:00:00	1011	011	107	12	{"tag 107",NULL}	53	{"n": 107, "list": [1.5, null, "x"]}	\N	a97da629-b098-b75c-294d-ffdc3e463904	02:49:03	D
108	person 108	sad	{"(\\"(\\"\\"High Street\\"\\",108,{ok})\\",2001-02-03)"}	1.61	1990-04-19	2024-05-10 19:08:09.5+00	108 days 216:00:00	1100	100	108	1	{"tag 108",NULL}	54	\N	\\x006c	a3c65c29-7427-0fd0-93ee-8a9bf8ae7d0b	02:50:03	E
109	person 109	ok	\N	1.61	1990-04-20	2024-05-10 20:08:09.5+00	109 days 218:00:00	1101	101	109	2	{"tag 109",NULL}	54	{"n": 109, "list": [1.5, null, "x"]}	\N	2723d092-b638-85e0-d7c2-60cc007e8b9d	02:51:03	F
110	person 110	\N	\N	\N	1990-04-21	2024-05-10 21:08:09.5+00	110 days 220:00:00	1110	110	110	3	{"tag 110",NULL}	55	{"n": 110, "list": [1.5, null, "x"]}	\\x006e	5f93f983-524d-ef3d-ca46-4469d2cf9f3e	02:52:03	G
111	person 111	sad	\N	1.61	1990-04-22	2024-05-10 22:08:09.5+00	111 days 222:00:00	1111	111	111	4	{"tag 111",NULL}	55	\N	\N	698d51a1-9d8a-121c-e581-499d7b701668	02:53:03	H
112	person 112	ok	{"(\\"(\\"\\"High Street\\"\\",112,{ok})\\",2001-02-03)"}	1.61	1990-04-23	2024-05-10 23:08:09.5+00	112 days 224:00:00	0000	000	112	5	\N	56	{"n": 112, "list": [1.5, null, "x"]}	\\x0070	7f6ffaa6-bb0b-4080-17b6-2254211691b5	02:54:03	I
113	person 113	\N	\N	1.61	1990-04-24	2024-05-11 00:08:09.5+00	113 days 226:00:00	0001	001	113	6	{"tag 113",NULL}	56	{"n": 113, "list": [1.5, null, "x"]}	\N	73278a4a-8696-0eeb-576a-8fd4c9ec6997	02:55:03	J
114	person 114	sad	\N	1.61	1990-04-25	2024-05-11 01:08:09.5+00	114 days 228:00:00	0010	010	114	7	{"tag 114",NULL}	57	\N	\\x0072	5fd0b37c-d7db-bb00-f97b-a6ce92bf5add	02:56:03	K
115	person 115	ok	\N	\N	1990-04-26	2024-05-11 02:08:09.5+00	115 days 230:00:00	0011	011	115	8	{"tag 115",NULL}	57	{"n": 115, "list": [1.5, null, "x"]}	\N	2b44928a-e11f-b938-4c4c-f38708677c48	02:57:03	L
116	person 116	\N	{"(\\"(\\"\\"High Street\\"\\",116,{ok})\\",2001-02-03)"}	1.62	1990-04-27	2024-05-11 03:08:09.5+00	116 days 232:00:00	0100	100	116	9	{"tag 116",NULL}	58	{"n": 116, "list": [1.5, null, "x"]}	\\x0074	c45147de-e729-311e-f5b5-c3003946c48f	02:58:03	M
117	person 117	sad	\N	1.62	1990-04-28	2024-05-11 04:08:09.5+00	117 days 234:00:00	0101	101	117	10	{"tag 117",NULL}	58	\N	\N	eb160de1-de89-d905-8fcb-0b968dbbbd68	02:59:03	N
118	person 118	ok	\N	1.62	1990-04-29	2024-05-11 05:08:09.5+00	118 days 236:00:00	0110	110	118	11	{"tag 118",NULL}	59	{"n": 118, "list": [1.5, null, "x"]}	\\x0076	5ef05993-8ba7-99aa-a845-e1c2e8a762bd	03:00:03	O
119	person 119	\N	\N	1.62	1990-04-30	2024-05-11 06:08:09.5+00	119 days 238:00:00	0111	111	119	12	\N	59	{"n": 119, "list": [1.5, null, "x"]}	\N	07e1cd7d-ca89-a167-8042-477183b7ac3f	03:01:03	P
120	person 120	sad	{"(\\"(\\"\\"High Street\\"\\",120,{ok})\\",2001-02-03)"}	\N	1990-05-01	2024-05-11 07:08:09.5+00	120 days 240:00:00	1000	000	120	1	{"tag 120",NULL}	60	\N	\\x0078	da4fb5c6-e93e-74d3-df85-27599fa62642	03:02:03	Q
\.
COPY archive.club (code, no) FROM stdin;
chess	5
a club with a name that stands apart	10
\.
COPY public.membership (person, code, no, since, fee) FROM stdin;
1	chess	5	2020-01-02	1
2	chess	5	2020-01-03	2
3	chess	5	2020-01-04	3
4	chess	5	2020-01-05	4
5	chess	5	2020-01-06	0
6	chess	5	2020-01-07	1
7	chess	5	2020-01-08	2
8	chess	5	2020-01-09	3
9	chess	5	2020-01-10	4
10	chess	5	2020-01-11	0
11	chess	5	2020-01-12	1
12	chess	5	2020-01-13	2
13	chess	5	2020-01-14	3
14	chess	5	2020-01-15	4
15	chess	5	2020-01-16	0
16	chess	5	2020-01-17	1
17	chess	5	2020-01-18	2
18	chess	5	2020-01-19	3
19	chess	5	2020-01-20	4
31	chess	5	2020-02-01	1
32	chess	5	2020-02-02	2
33	chess	5	2020-02-03	3
34	chess	5	2020-02-04	4
35	chess	5	2020-02-05	0
36	chess	5	2020-02-06	1
37	chess	5	2020-02-07	2
38	chess	5	2020-02-08	3
39	chess	5	2020-02-09	4
40	chess	5	2020-01-01	0
119	chess	5	2020-01-02	1
42	chess	5	2020-01-03	2
43	chess	5	2020-01-04	3
44	chess	5	2020-01-05	4
45	chess	5	2020-01-06	0
46	chess	5	2020-01-07	1
47	chess	5	2020-01-08	2
48	chess	5	2020-01-09	3
49	chess	5	2020-01-10	4
50	chess	5	2020-01-11	0
51	chess	5	2020-01-12	1
52	chess	5	2020-01-13	2
53	chess	5	2020-01-14	3
54	chess	5	2020-01-15	4
55	chess	5	2020-01-16	0
56	chess	5	2020-01-17	1
57	chess	5	2020-01-18	2
58	chess	5	2020-01-19	3
59	chess	5	2020-01-20	4
60	chess	5	2020-01-21	0
61	chess	5	2020-01-22	1
62	chess	5	2020-01-23	2
63	chess	5	2020-01-24	3
64	chess	5	2020-01-25	4
65	chess	5	2020-01-26	0
66	chess	5	2020-01-27	1
67	chess	5	2020-01-28	2
68	chess	5	2020-01-29	3
69	chess	5	2020-01-30	4
70	chess	5	2020-01-31	0
71	chess	5	2020-02-01	1
72	chess	5	2020-02-02	2
73	chess	5	2020-02-03	3
74	chess	5	2020-02-04	4
75	chess	5	2020-02-05	0
76	chess	5	2020-02-06	1
77	chess	5	2020-02-07	2
78	chess	5	2020-02-08	3
79	chess	5	2020-02-09	4
80	chess	5	2020-01-01	0
81	chess	5	2020-01-02	1
82	chess	5	2020-01-03	2
83	chess	5	2020-01-04	3
84	chess	5	2020-01-05	4
85	chess	5	2020-01-06	0
86	chess	5	2020-01-07	1
87	chess	5	2020-01-08	2
88	chess	5	2020-01-09	3
89	chess	5	2020-01-10	4
90	chess	5	2020-01-11	0
95	chess	5	2021-01-01	2
\.
COPY public.link (a, b) FROM stdin;
1	1
2	8
3	15
4	22
5	29
6	36
7	43
8	50
9	57
10	64
11	71
12	78
13	85
14	92
15	99
16	106
17	113
18	120
19	7
20	14
21	21
22	28
23	35
24	42
25	49
26	56
27	63
28	70
29	77
30	84
31	91
32	98
33	105
34	112
35	119
36	6
37	13
38	20
39	27
40	34
41	41
42	48
43	55
44	62
45	69
46	76
47	83
48	90
49	97
50	104
51	111
52	118
53	5
54	12
55	19
56	26
57	33
58	40
59	47
60	54
61	61
62	68
63	75
64	82
65	89
66	96
67	103
68	110
69	117
70	4
71	11
72	18
73	25
74	32
75	39
76	46
77	53
78	60
79	67
80	74
81	81
82	88
83	95
84	102
85	109
86	116
87	3
88	10
89	17
90	24
91	31
92	38
93	45
94	52
95	59
96	66
97	73
98	80
99	87
100	94
101	101
102	108
103	115
104	2
105	9
106	16
107	23
108	30
109	37
110	44
111	51
112	58
113	65
114	72
115	79
116	86
117	93
118	100
119	107
120	114
1	2
2	9
3	16
4	23
5	30
6	37
7	44
8	51
9	58
10	65
11	72
12	79
13	86
14	93
15	100
16	107
17	114
18	1
19	8
20	15
21	22
22	29
23	36
24	43
25	50
26	57
27	64
28	71
29	78
30	85
31	92
32	99
33	106
34	113
35	120
36	7
37	14
38	21
39	28
40	35
41	42
42	49
43	56
44	63
45	70
46	77
47	84
48	91
49	98
50	105
51	112
52	119
53	6
54	13
55	20
56	27
57	34
58	41
59	48
60	55
61	62
62	69
63	76
64	83
65	90
66	97
67	104
68	111
69	118
70	5
71	12
72	19
73	26
74	33
75	40
76	47
77	54
78	61
79	68
80	75
81	82
82	89
83	96
84	103
85	110
86	117
87	4
88	11
89	18
90	25
91	32
92	39
93	46
94	53
95	60
96	67
97	74
98	81
99	88
100	95
101	102
102	109
103	116
104	3
105	10
106	17
107	24
108	31
109	38
110	45
111	52
112	59
113	66
114	73
115	80
116	87
117	94
118	101
119	108
120	115
1	3
2	10
3	17
4	24
5	31
6	38
7	45
8	52
9	59
10	66
11	73
12	80
13	87
14	94
15	101
16	108
17	115
18	2
19	9
20	16
21	23
22	30
23	37
24	44
25	51
26	58
27	65
28	72
29	79
30	86
31	93
32	100
33	107
34	114
35	1
36	8
37	15
38	22
39	29
40	36
41	43
42	50
43	57
44	64
45	71
46	78
47	85
48	92
49	99
50	106
51	113
52	120
53	7
54	14
55	21
56	28
57	35
58	42
59	49
60	56
61	63
62	70
63	77
64	84
65	91
66	98
67	105
68	112
69	119
70	6
71	13
72	20
73	27
74	34
75	41
76	48
77	55
78	62
79	69
80	76
81	83
82	90
83	97
84	104
85	111
86	118
87	5
88	12
89	19
90	26
91	33
92	40
93	47
94	54
95	61
96	68
97	75
98	82
99	89
100	96
101	103
102	110
103	117
104	4
105	11
106	18
107	25
108	32
109	39
110	46
111	53
112	60
113	67
114	74
115	81
116	88
117	95
118	102
119	109
120	116
1	4
2	11
3	18
4	25
5	32
6	39
7	46
8	53
9	60
10	67
11	74
12	81
13	88
14	95
15	102
16	109
17	116
18	3
19	10
20	17
21	24
22	31
23	38
24	45
25	52
26	59
27	66
28	73
29	80
30	87
31	94
32	101
33	108
34	115
35	2
36	9
37	16
38	23
39	30
40	37
41	44
42	51
43	58
44	65
45	72
46	79
47	86
48	93
49	100
50	107
51	114
52	1
53	8
54	15
55	22
56	29
57	36
58	43
59	50
60	57
61	64
62	71
63	78
64	85
65	92
66	99
67	106
68	113
69	120
70	7
71	14
72	21
73	28
74	35
75	42
76	49
77	56
78	63
79	70
80	77
81	84
82	91
83	98
84	105
85	112
86	119
87	6
88	13
89	20
90	27
91	34
92	41
93	48
94	55
95	62
96	69
97	76
98	83
99	90
100	97
101	104
102	111
103	118
104	5
105	12
106	19
107	26
108	33
109	40
110	47
111	54
112	61
113	68
114	75
115	82
116	89
117	96
118	103
119	110
120	117
1	5
2	12
3	19
4	26
5	33
6	40
7	47
8	54
9	61
10	68
11	75
12	82
13	89
14	96
15	103
16	110
17	117
18	4
19	11
20	18
21	25
22	32
23	39
24	46
25	53
26	60
27	67
28	74
29	81
30	88
31	95
32	102
33	109
34	116
35	3
36	10
37	17
38	24
39	31
40	38
41	45
42	52
43	59
44	66
45	73
46	80
47	87
48	94
49	101
50	108
51	115
52	2
53	9
54	16
55	23
56	30
57	37
58	44
59	51
60	58
61	65
62	72
63	79
64	86
65	93
66	100
67	107
68	114
69	1
70	8
71	15
72	22
73	29
74	36
75	43
76	50
77	57
78	64
79	71
80	78
81	85
82	92
83	99
84	106
85	113
86	120
87	7
88	14
89	21
90	28
91	35
92	42
93	49
94	56
95	63
96	70
97	77
98	84
99	91
100	98
101	105
102	112
103	119
104	6
105	13
106	20
107	27
108	34
109	41
110	48
111	55
112	62
113	69
114	76
115	83
116	90
117	97
118	104
119	111
120	118
1	6
2	13
3	20
4	27
5	34
6	41
7	48
8	55
9	62
10	69
11	76
12	83
13	90
14	97
15	104
16	111
17	118
18	5
19	12
20	19
21	26
22	33
23	40
24	47
25	54
26	61
27	68
28	75
29	82
30	89
31	96
32	103
33	110
34	117
35	4
36	11
37	18
38	25
39	32
40	39
41	46
42	53
43	60
44	67
45	74
46	81
47	88
48	95
49	102
50	109
51	116
52	3
53	10
54	17
55	24
56	31
57	38
58	45
59	52
60	59
61	66
62	73
63	80
64	87
65	94
66	101
67	108
68	115
69	2
70	9
71	16
72	23
73	30
74	37
75	44
76	51
77	58
78	65
79	72
80	79
81	86
82	93
83	100
84	107
85	114
86	1
87	8
88	15
89	22
90	29
91	36
92	43
93	50
94	57
95	64
96	71
97	78
98	85
99	92
100	99
101	106
102	113
103	120
104	7
105	14
106	21
107	28
108	35
109	42
110	49
111	56
112	63
113	70
114	77
115	84
116	91
117	98
118	105
119	112
120	119
1	7
2	14
3	21
4	28
5	35
6	42
7	49
8	56
9	63
10	70
11	77
12	84
13	91
14	98
15	105
16	112
17	119
18	6
19	13
20	20
21	27
22	34
23	41
24	48
25	55
26	62
27	69
28	76
29	83
30	90
31	97
32	104
33	111
34	118
35	5
36	12
37	19
38	26
39	33
40	40
41	47
42	54
43	61
44	68
45	75
46	82
47	89
48	96
49	103
50	110
51	117
52	4
53	11
54	18
55	25
56	32
57	39
58	46
59	53
60	60
61	67
62	74
63	81
64	88
65	95
66	102
67	109
68	116
69	3
70	10
71	17
72	24
73	31
74	38
75	45
76	52
77	59
78	66
79	73
80	80
81	87
82	94
83	101
84	108
85	115
86	2
87	9
88	16
89	23
90	30
91	37
92	44
93	51
94	58
95	65
96	72
97	79
98	86
99	93
100	100
101	107
102	114
103	1
104	8
105	15
106	22
107	29
108	36
109	43
110	50
111	57
112	64
113	71
114	78
115	85
116	92
117	99
118	106
119	113
120	120
1	8
2	15
3	22
4	29
5	36
6	43
7	50
8	57
9	64
10	71
11	78
12	85
13	92
14	99
15	106
16	113
17	120
18	7
19	14
20	21
21	28
22	35
23	42
24	49
25	56
26	63
27	70
28	77
29	84
30	91
31	98
32	105
33	112
34	119
35	6
36	13
37	20
38	27
39	34
40	41
41	48
42	55
43	62
44	69
45	76
46	83
47	90
48	97
49	104
50	111
51	118
52	5
53	12
54	19
55	26
56	33
57	40
58	47
59	54
60	61
61	68
62	75
63	82
64	89
65	96
66	103
67	110
68	117
69	4
70	11
71	18
72	25
73	32
74	39
75	46
76	53
77	60
78	67
79	74
80	81
81	88
82	95
83	102
84	109
85	116
86	3
87	10
88	17
89	24
90	31
91	38
92	45
93	52
94	59
95	66
96	73
97	80
98	87
99	94
100	101
101	108
102	115
103	2
104	9
105	16
106	23
107	30
108	37
109	44
110	51
111	58
112	65
113	72
114	79
115	86
116	93
117	100
118	107
119	114
120	1
1	9
2	16
3	23
4	30
5	37
6	44
7	51
8	58
9	65
10	72
11	79
12	86
13	93
14	100
15	107
16	114
17	1
18	8
19	15
20	22
21	29
22	36
23	43
24	50
25	57
26	64
27	71
28	78
29	85
30	92
31	99
32	106
33	113
34	120
35	7
36	14
37	21
38	28
39	35
40	42
41	49
42	56
43	63
44	70
45	77
46	84
47	91
48	98
49	105
50	112
51	119
52	6
53	13
54	20
55	27
56	34
57	41
58	48
59	55
60	62
61	69
62	76
63	83
64	90
65	97
66	104
67	111
68	118
69	5
70	12
71	19
72	26
73	33
74	40
75	47
76	54
77	61
78	68
79	75
80	82
81	89
82	96
83	103
84	110
85	117
86	4
87	11
88	18
89	25
90	32
91	39
92	46
93	53
94	60
95	67
96	74
97	81
98	88
99	95
100	102
101	109
102	116
103	3
104	10
105	17
106	24
107	31
108	38
109	45
110	52
111	59
112	66
113	73
114	80
115	87
116	94
117	101
118	108
119	115
120	2
1	10
2	17
3	24
4	31
5	38
6	45
7	52
8	59
9	66
10	73
11	80
12	87
13	94
14	101
15	108
16	115
17	2
18	9
19	16
20	23
21	30
22	37
23	44
24	51
25	58
26	65
27	72
28	79
29	86
30	93
31	100
32	107
33	114
34	1
35	8
36	15
37	22
38	29
39	36
40	43
41	50
42	57
43	64
44	71
45	78
46	85
47	92
48	99
49	106
50	113
51	120
52	7
53	14
54	21
55	28
56	35
57	42
58	49
59	56
60	63
61	70
62	77
63	84
64	91
65	98
66	105
67	112
68	119
69	6
70	13
71	20
72	27
73	34
74	41
75	48
76	55
77	62
78	69
79	76
80	83
81	90
82	97
83	104
84	111
85	118
86	5
87	12
88	19
89	26
90	33
91	40
92	47
93	54
94	61
95	68
96	75
97	82
98	89
99	96
100	103
101	110
102	117
103	4
104	11
105	18
106	25
107	32
108	39
109	46
110	53
111	60
112	67
113	74
114	81
115	88
116	95
117	102
118	109
119	116
120	3
\.
COPY public.late (id, label, number) FROM stdin;
2	\N	1.50
3	y	2
\.
SELECT pg_catalog.setval('public.tickets', 2, true);
SELECT pg_catalog.setval('public.person_id_seq', 1, false);
SELECT pg_catalog.setval('archive.club_no_seq', 10, true);
ALTER TABLE ONLY public.person ADD CONSTRAINT person_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.person ADD CONSTRAINT person_name_born_key UNIQUE NULLS NOT DISTINCT (name, born);
ALTER TABLE ONLY public.person ADD CONSTRAINT person_key_key UNIQUE (key) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY archive.club ADD CONSTRAINT club_pkey PRIMARY KEY (code, no);
ALTER TABLE ONLY public.membership ADD CONSTRAINT membership_pkey PRIMARY KEY (person, code, no);
CREATE UNIQUE INDEX whole ON public.membership (since, person);
CREATE INDEX by_date ON public.membership (since DESC, person);
CREATE INDEX by_month ON public.membership ((EXTRACT('month' FROM since)), (lower(code)) COLLATE "de-x-icu" DESC) WHERE fee > 0 AND code NOT LIKE 'x%';
ALTER TABLE ONLY public.link ADD CONSTRAINT link_pkey PRIMARY KEY (a, b);
ALTER TABLE ONLY public.late ADD CONSTRAINT late_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.person ADD CONSTRAINT person_boss_fkey FOREIGN KEY (boss) REFERENCES public.person(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.membership ADD CONSTRAINT membership_person_fkey FOREIGN KEY (person) REFERENCES public.person(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY public.membership ADD CONSTRAINT membership_code_no_fkey FOREIGN KEY (code, no) REFERENCES archive.club(code, no) MATCH FULL ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.membership ADD CONSTRAINT membership_person_fkey1 FOREIGN KEY (person) REFERENCES public.person(id) NOT VALID;
ALTER TABLE ONLY public.link ADD CONSTRAINT link_a_fkey FOREIGN KEY (a) REFERENCES public.person(id);
ALTER TABLE ONLY public.link ADD CONSTRAINT link_b_fkey FOREIGN KEY (b) REFERENCES public.person(id);
CREATE VIEW public.old (id, name, twice) AS
  SELECT id, name, height * 2 AS twice FROM person WHERE id > 3 ORDER BY name DESC NULLS LAST LIMIT 10;
CREATE VIEW public.young (id, name, state) AS
  SELECT id, name, state FROM person WHERE born > '2000-01-01'
  WITH CASCADED CHECK OPTION;
CREATE VIEW public.younger (id, name, state) AS
  SELECT young.id, young.name, young.state FROM young WHERE name <> 'a'
  WITH LOCAL CHECK OPTION;
ALTER VIEW public.younger ALTER COLUMN state SET DEFAULT 'sad';
CREATE VIEW public.ranks (id, rank) AS
  WITH RECURSIVE ranks(id, rank) AS (SELECT id, 0 FROM person WHERE boss IS NULL UNION ALL SELECT p.id, rank + 1 FROM person AS p JOIN ranks AS r ON p.boss = r.id) SELECT id, rank FROM ranks;
CREATE VIEW public.windows (id, rank, s, c, is_member) AS
  SELECT id, rank() OVER w, sum(height) FILTER (WHERE height > 1) OVER (w ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s, CASE WHEN id > 1 THEN 'a' ELSE 'b' END AS c, EXISTS (SELECT 1 FROM membership AS m WHERE m.person = p.id) AS is_member FROM person AS p WINDOW w AS (PARTITION BY state ORDER BY born);
CREATE MATERIALIZED VIEW public.counts (state, n) AS
  SELECT state, count(*) AS n FROM person GROUP BY ROLLUP (state)
  WITH NO DATA;
CREATE MATERIALIZED VIEW public.later (id) AS
  SELECT id FROM old
  WITH NO DATA;
CREATE FUNCTION public.plus(a integer, b integer)
  RETURNS integer LANGUAGE sql
  RETURN a + b;
CREATE FUNCTION public.enter(p integer)
  RETURNS void LANGUAGE sql
  BEGIN ATOMIC
  INSERT INTO archive.club (code) VALUES ('ü' || p); SELECT 1; END;
REFRESH MATERIALIZED VIEW public.counts;
COMMENT ON TABLE public.person IS 'people';
COMMENT ON COLUMN public.person.name IS 'é and "quotes"';
COMMENT ON COLUMN public.student.name IS 'é and "quotes"';
COMMENT ON VIEW public.younger IS 'even younger';
COMMENT ON FUNCTION public.plus(integer, integer) IS 'a sum';
COMMENT ON CONSTRAINT born_and_seen ON public.person IS 'a rule';
COMMENT ON SCHEMA archive IS 'old things';
COMMENT ON SEQUENCE public.tickets IS 'numbers';
\if :{?JUNCTION}
ALTER TABLE ONLY public.membership ADD CONSTRAINT loose FOREIGN KEY (person) REFERENCES public.person(id) NOT ENFORCED;
ALTER TABLE ONLY public.membership ADD CONSTRAINT few CARDINALITY (code, no) BETWEEN 0 AND 900;
CREATE PROPERTY GRAPH public.clubs
    VERTEX TABLES (
        person KEY (id)
            LABEL human PROPERTIES (id, upper(name) AS loud)
            LABEL thing NO PROPERTIES,
        archive.club KEY (code, no)
            LABEL club PROPERTIES (code, no)
    )
    EDGE TABLES (
        membership KEY (person, code, no)
            SOURCE KEY (person) REFERENCES person (id)
            DESTINATION KEY (code, no) REFERENCES club (code, no)
            LABEL membership PROPERTIES (since)
    );
CREATE VIEW public.friends (one, other, since) AS
  SELECT one, other, since FROM GRAPH_TABLE (clubs MATCH (a IS human WHERE a.id > 1)-[e]->(c IS club)<-[]-(b IS human) WHERE a.id <> b.id COLUMNS (a.id AS one, b.id AS other, e.since AS since));
COMMENT ON PROPERTY GRAPH public.clubs IS 'who is where';
\endif
