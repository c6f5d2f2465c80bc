-- A tracker of projects and issues, as a Rails application dumps it (db/structure.sql). Written from its structure.

SET statement_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SET default_tablespace = '';

CREATE TABLE public.ar_internal_metadata (
    key character varying NOT NULL,
    value character varying,
    created_at timestamp(6) without time zone NOT NULL,
    updated_at timestamp(6) without time zone NOT NULL
);

CREATE TABLE public.schema_migrations (
    version character varying NOT NULL
);

CREATE TABLE public.users (
    id integer NOT NULL,
    login character varying(255) DEFAULT ''::character varying NOT NULL,
    hashed_password character varying(40) DEFAULT ''::character varying NOT NULL,
    firstname character varying(30) DEFAULT ''::character varying NOT NULL,
    lastname character varying(255) DEFAULT ''::character varying NOT NULL,
    admin boolean DEFAULT false NOT NULL,
    status integer DEFAULT 1 NOT NULL,
    last_login_on timestamp without time zone,
    language character varying(5) DEFAULT ''::character varying,
    type character varying,
    created_on timestamp without time zone,
    updated_on timestamp without time zone
);

CREATE SEQUENCE public.users_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.users_id_seq OWNED BY public.users.id;
ALTER TABLE ONLY public.users ALTER COLUMN id SET DEFAULT nextval('public.users_id_seq'::regclass);

CREATE TABLE public.email_addresses (
    id integer NOT NULL,
    user_id integer NOT NULL,
    address character varying NOT NULL,
    is_default boolean DEFAULT false NOT NULL,
    notify boolean DEFAULT true NOT NULL,
    created_on timestamp without time zone NOT NULL,
    updated_on timestamp without time zone NOT NULL
);

CREATE SEQUENCE public.email_addresses_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.email_addresses_id_seq OWNED BY public.email_addresses.id;
ALTER TABLE ONLY public.email_addresses ALTER COLUMN id SET DEFAULT nextval('public.email_addresses_id_seq'::regclass);

CREATE TABLE public.projects (
    id integer NOT NULL,
    name character varying(255) DEFAULT ''::character varying NOT NULL,
    description text,
    homepage character varying(255) DEFAULT ''::character varying,
    is_public boolean DEFAULT true NOT NULL,
    parent_id integer,
    identifier character varying,
    status integer DEFAULT 1 NOT NULL,
    lft integer,
    rgt integer,
    inherit_members boolean DEFAULT false NOT NULL,
    created_on timestamp without time zone,
    updated_on timestamp without time zone
);

CREATE SEQUENCE public.projects_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.projects_id_seq OWNED BY public.projects.id;
ALTER TABLE ONLY public.projects ALTER COLUMN id SET DEFAULT nextval('public.projects_id_seq'::regclass);

CREATE TABLE public.trackers (
    id integer NOT NULL,
    name character varying(30) DEFAULT ''::character varying NOT NULL,
    description character varying(255),
    position integer,
    default_status_id integer
);

CREATE SEQUENCE public.trackers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.trackers_id_seq OWNED BY public.trackers.id;
ALTER TABLE ONLY public.trackers ALTER COLUMN id SET DEFAULT nextval('public.trackers_id_seq'::regclass);

CREATE TABLE public.issue_statuses (
    id integer NOT NULL,
    name character varying(30) DEFAULT ''::character varying NOT NULL,
    is_closed boolean DEFAULT false NOT NULL,
    position integer
);

CREATE SEQUENCE public.issue_statuses_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.issue_statuses_id_seq OWNED BY public.issue_statuses.id;
ALTER TABLE ONLY public.issue_statuses ALTER COLUMN id SET DEFAULT nextval('public.issue_statuses_id_seq'::regclass);

CREATE TABLE public.issue_categories (
    id integer NOT NULL,
    project_id integer NOT NULL,
    name character varying(60) DEFAULT ''::character varying NOT NULL,
    assigned_to_id integer
);

CREATE SEQUENCE public.issue_categories_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.issue_categories_id_seq OWNED BY public.issue_categories.id;
ALTER TABLE ONLY public.issue_categories ALTER COLUMN id SET DEFAULT nextval('public.issue_categories_id_seq'::regclass);

CREATE TABLE public.versions (
    id integer NOT NULL,
    project_id integer NOT NULL,
    name character varying DEFAULT ''::character varying NOT NULL,
    description character varying(255) DEFAULT ''::character varying,
    effective_date date,
    wiki_page_title character varying,
    status character varying DEFAULT 'open'::character varying,
    sharing character varying DEFAULT 'none'::character varying NOT NULL,
    created_on timestamp without time zone,
    updated_on timestamp without time zone
);

CREATE SEQUENCE public.versions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.versions_id_seq OWNED BY public.versions.id;
ALTER TABLE ONLY public.versions ALTER COLUMN id SET DEFAULT nextval('public.versions_id_seq'::regclass);

CREATE TABLE public.enumerations (
    id integer NOT NULL,
    name character varying(30) DEFAULT ''::character varying NOT NULL,
    position integer,
    is_default boolean DEFAULT false NOT NULL,
    type character varying,
    active boolean DEFAULT true NOT NULL,
    project_id integer,
    parent_id integer
);

CREATE SEQUENCE public.enumerations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.enumerations_id_seq OWNED BY public.enumerations.id;
ALTER TABLE ONLY public.enumerations ALTER COLUMN id SET DEFAULT nextval('public.enumerations_id_seq'::regclass);

CREATE TABLE public.issues (
    id integer NOT NULL,
    tracker_id integer NOT NULL,
    project_id integer NOT NULL,
    subject character varying DEFAULT ''::character varying NOT NULL,
    description text,
    due_date date,
    category_id integer,
    status_id integer NOT NULL,
    assigned_to_id integer,
    priority_id integer NOT NULL,
    fixed_version_id integer,
    author_id integer NOT NULL,
    lock_version integer DEFAULT 0 NOT NULL,
    start_date date,
    done_ratio integer DEFAULT 0 NOT NULL,
    estimated_hours double precision,
    parent_id integer,
    is_private boolean DEFAULT false NOT NULL,
    closed_on timestamp without time zone,
    created_on timestamp without time zone,
    updated_on timestamp without time zone
);

CREATE SEQUENCE public.issues_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.issues_id_seq OWNED BY public.issues.id;
ALTER TABLE ONLY public.issues ALTER COLUMN id SET DEFAULT nextval('public.issues_id_seq'::regclass);

CREATE TABLE public.journals (
    id integer NOT NULL,
    journalized_id integer DEFAULT 0 NOT NULL,
    journalized_type character varying(30) DEFAULT ''::character varying NOT NULL,
    user_id integer DEFAULT 0 NOT NULL,
    notes text,
    created_on timestamp without time zone NOT NULL,
    private_notes boolean DEFAULT false NOT NULL,
    updated_on timestamp without time zone
);

CREATE SEQUENCE public.journals_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.journals_id_seq OWNED BY public.journals.id;
ALTER TABLE ONLY public.journals ALTER COLUMN id SET DEFAULT nextval('public.journals_id_seq'::regclass);

CREATE TABLE public.journal_details (
    id integer NOT NULL,
    journal_id integer NOT NULL,
    property character varying(30) DEFAULT ''::character varying NOT NULL,
    prop_key character varying(30) DEFAULT ''::character varying NOT NULL,
    old_value text,
    value text
);

CREATE SEQUENCE public.journal_details_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.journal_details_id_seq OWNED BY public.journal_details.id;
ALTER TABLE ONLY public.journal_details ALTER COLUMN id SET DEFAULT nextval('public.journal_details_id_seq'::regclass);

CREATE TABLE public.time_entries (
    id integer NOT NULL,
    project_id integer NOT NULL,
    author_id integer,
    user_id integer NOT NULL,
    issue_id integer,
    hours double precision NOT NULL,
    comments character varying(1024),
    activity_id integer NOT NULL,
    spent_on date NOT NULL,
    created_on timestamp without time zone NOT NULL,
    updated_on timestamp without time zone NOT NULL
);

CREATE SEQUENCE public.time_entries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.time_entries_id_seq OWNED BY public.time_entries.id;
ALTER TABLE ONLY public.time_entries ALTER COLUMN id SET DEFAULT nextval('public.time_entries_id_seq'::regclass);

CREATE TABLE public.roles (
    id integer NOT NULL,
    name character varying(255) DEFAULT ''::character varying NOT NULL,
    position integer,
    assignable boolean DEFAULT true,
    builtin integer DEFAULT 0 NOT NULL,
    permissions text
);

CREATE SEQUENCE public.roles_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.roles_id_seq OWNED BY public.roles.id;
ALTER TABLE ONLY public.roles ALTER COLUMN id SET DEFAULT nextval('public.roles_id_seq'::regclass);

CREATE TABLE public.members (
    id integer NOT NULL,
    user_id integer DEFAULT 0 NOT NULL,
    project_id integer DEFAULT 0 NOT NULL,
    created_on timestamp without time zone,
    mail_notification boolean DEFAULT false NOT NULL
);

CREATE SEQUENCE public.members_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.members_id_seq OWNED BY public.members.id;
ALTER TABLE ONLY public.members ALTER COLUMN id SET DEFAULT nextval('public.members_id_seq'::regclass);

CREATE TABLE public.member_roles (
    id integer NOT NULL,
    member_id integer NOT NULL,
    role_id integer NOT NULL,
    inherited_from integer
);

CREATE SEQUENCE public.member_roles_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.member_roles_id_seq OWNED BY public.member_roles.id;
ALTER TABLE ONLY public.member_roles ALTER COLUMN id SET DEFAULT nextval('public.member_roles_id_seq'::regclass);

CREATE TABLE public.watchers (
    id integer NOT NULL,
    watchable_type character varying DEFAULT ''::character varying NOT NULL,
    watchable_id integer DEFAULT 0 NOT NULL,
    user_id integer
);

CREATE SEQUENCE public.watchers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.watchers_id_seq OWNED BY public.watchers.id;
ALTER TABLE ONLY public.watchers ALTER COLUMN id SET DEFAULT nextval('public.watchers_id_seq'::regclass);

CREATE TABLE public.news (
    id integer NOT NULL,
    project_id integer,
    title character varying(60) DEFAULT ''::character varying NOT NULL,
    summary character varying(255) DEFAULT ''::character varying,
    description text,
    author_id integer NOT NULL,
    created_on timestamp without time zone,
    comments_count integer DEFAULT 0 NOT NULL
);

CREATE SEQUENCE public.news_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.news_id_seq OWNED BY public.news.id;
ALTER TABLE ONLY public.news ALTER COLUMN id SET DEFAULT nextval('public.news_id_seq'::regclass);

CREATE TABLE public.attachments (
    id integer NOT NULL,
    container_id integer,
    container_type character varying(30),
    filename character varying DEFAULT ''::character varying NOT NULL,
    disk_filename character varying DEFAULT ''::character varying NOT NULL,
    filesize bigint DEFAULT 0 NOT NULL,
    content_type character varying DEFAULT ''::character varying,
    digest character varying(64) DEFAULT ''::character varying NOT NULL,
    downloads integer DEFAULT 0 NOT NULL,
    author_id integer NOT NULL,
    created_on timestamp without time zone,
    description character varying
);

CREATE SEQUENCE public.attachments_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.attachments_id_seq OWNED BY public.attachments.id;
ALTER TABLE ONLY public.attachments ALTER COLUMN id SET DEFAULT nextval('public.attachments_id_seq'::regclass);

ALTER TABLE ONLY public.ar_internal_metadata ADD CONSTRAINT ar_internal_metadata_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.schema_migrations ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.users ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.email_addresses ADD CONSTRAINT email_addresses_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.projects ADD CONSTRAINT projects_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.trackers ADD CONSTRAINT trackers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.issue_statuses ADD CONSTRAINT issue_statuses_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.issue_categories ADD CONSTRAINT issue_categories_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.versions ADD CONSTRAINT versions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.enumerations ADD CONSTRAINT enumerations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.issues ADD CONSTRAINT issues_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.journals ADD CONSTRAINT journals_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.journal_details ADD CONSTRAINT journal_details_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.time_entries ADD CONSTRAINT time_entries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.roles ADD CONSTRAINT roles_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.members ADD CONSTRAINT members_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.member_roles ADD CONSTRAINT member_roles_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.watchers ADD CONSTRAINT watchers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.news ADD CONSTRAINT news_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.attachments ADD CONSTRAINT attachments_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX index_projects_on_identifier ON public.projects USING btree (identifier);
CREATE UNIQUE INDEX index_members_on_user_id_and_project_id ON public.members USING btree (user_id, project_id);
ALTER TABLE ONLY public.email_addresses ADD CONSTRAINT fk_rails_0000000000 FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.projects ADD CONSTRAINT fk_rails_0000000001 FOREIGN KEY (parent_id) REFERENCES public.projects(id);
ALTER TABLE ONLY public.trackers ADD CONSTRAINT fk_rails_0000000002 FOREIGN KEY (default_status_id) REFERENCES public.issue_statuses(id);
ALTER TABLE ONLY public.issue_categories ADD CONSTRAINT fk_rails_0000000003 FOREIGN KEY (project_id) REFERENCES public.projects(id);
ALTER TABLE ONLY public.issue_categories ADD CONSTRAINT fk_rails_0000000004 FOREIGN KEY (assigned_to_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.versions ADD CONSTRAINT fk_rails_0000000005 FOREIGN KEY (project_id) REFERENCES public.projects(id);
ALTER TABLE ONLY public.enumerations ADD CONSTRAINT fk_rails_0000000006 FOREIGN KEY (project_id) REFERENCES public.projects(id);
ALTER TABLE ONLY public.enumerations ADD CONSTRAINT fk_rails_0000000007 FOREIGN KEY (parent_id) REFERENCES public.enumerations(id);
ALTER TABLE ONLY public.issues ADD CONSTRAINT fk_rails_0000000008 FOREIGN KEY (tracker_id) REFERENCES public.trackers(id);
ALTER TABLE ONLY public.issues ADD CONSTRAINT fk_rails_0000000009 FOREIGN KEY (project_id) REFERENCES public.projects(id);
ALTER TABLE ONLY public.issues ADD CONSTRAINT fk_rails_000000000a FOREIGN KEY (category_id) REFERENCES public.issue_categories(id);
ALTER TABLE ONLY public.issues ADD CONSTRAINT fk_rails_000000000b FOREIGN KEY (status_id) REFERENCES public.issue_statuses(id);
ALTER TABLE ONLY public.issues ADD CONSTRAINT fk_rails_000000000c FOREIGN KEY (assigned_to_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.issues ADD CONSTRAINT fk_rails_000000000d FOREIGN KEY (priority_id) REFERENCES public.enumerations(id);
ALTER TABLE ONLY public.issues ADD CONSTRAINT fk_rails_000000000e FOREIGN KEY (fixed_version_id) REFERENCES public.versions(id);
ALTER TABLE ONLY public.issues ADD CONSTRAINT fk_rails_000000000f FOREIGN KEY (author_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.issues ADD CONSTRAINT fk_rails_0000000010 FOREIGN KEY (parent_id) REFERENCES public.issues(id);
ALTER TABLE ONLY public.journals ADD CONSTRAINT fk_rails_0000000011 FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.journal_details ADD CONSTRAINT fk_rails_0000000012 FOREIGN KEY (journal_id) REFERENCES public.journals(id);
ALTER TABLE ONLY public.time_entries ADD CONSTRAINT fk_rails_0000000013 FOREIGN KEY (project_id) REFERENCES public.projects(id);
ALTER TABLE ONLY public.time_entries ADD CONSTRAINT fk_rails_0000000014 FOREIGN KEY (author_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.time_entries ADD CONSTRAINT fk_rails_0000000015 FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.time_entries ADD CONSTRAINT fk_rails_0000000016 FOREIGN KEY (issue_id) REFERENCES public.issues(id);
ALTER TABLE ONLY public.time_entries ADD CONSTRAINT fk_rails_0000000017 FOREIGN KEY (activity_id) REFERENCES public.enumerations(id);
ALTER TABLE ONLY public.members ADD CONSTRAINT fk_rails_0000000018 FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.members ADD CONSTRAINT fk_rails_0000000019 FOREIGN KEY (project_id) REFERENCES public.projects(id);
ALTER TABLE ONLY public.member_roles ADD CONSTRAINT fk_rails_000000001a FOREIGN KEY (member_id) REFERENCES public.members(id);
ALTER TABLE ONLY public.member_roles ADD CONSTRAINT fk_rails_000000001b FOREIGN KEY (role_id) REFERENCES public.roles(id);
ALTER TABLE ONLY public.watchers ADD CONSTRAINT fk_rails_000000001c FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.news ADD CONSTRAINT fk_rails_000000001d FOREIGN KEY (project_id) REFERENCES public.projects(id);
ALTER TABLE ONLY public.news ADD CONSTRAINT fk_rails_000000001e FOREIGN KEY (author_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.attachments ADD CONSTRAINT fk_rails_000000001f FOREIGN KEY (author_id) REFERENCES public.users(id);

SET search_path TO "$user", public;

INSERT INTO "schema_migrations" (version) VALUES
('20250611092227'),
('20241022095140');
