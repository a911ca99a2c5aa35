--
-- PostgreSQL database dump
--

\restrict b9sUewftvYfabPpNZAhVtyt4craJ868rU0WhfnOBFGTbUWGP8Rg71sxsaD1KKUg

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: rating; Type: TYPE; Schema: public; Owner: postgres
--

CREATE TYPE public.rating AS ENUM (
    'G',
    'PG',
    'R'
);


ALTER TYPE public.rating OWNER TO postgres;

--
-- Name: year; Type: DOMAIN; Schema: public; Owner: postgres
--

CREATE DOMAIN public.year AS integer
	CONSTRAINT year_check CHECK ((VALUE >= 1901));


ALTER DOMAIN public.year OWNER TO postgres;

--
-- Name: _concat(text, text); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public._concat(text, text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $_$ SELECT $1 || ', ' || $2 $_$;


ALTER FUNCTION public._concat(text, text) OWNER TO postgres;

--
-- Name: in_stock(integer); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.in_stock(p_film integer, OUT copies integer) RETURNS SETOF integer
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$ SELECT i.copies FROM public.inventory AS i WHERE i.film_id = $1 $_$;


ALTER FUNCTION public.in_stock(p_film integer, OUT copies integer) OWNER TO postgres;

--
-- Name: last_updated(); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.last_updated() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN NEW.last_update = now(); RETURN NEW; END $$;


ALTER FUNCTION public.last_updated() OWNER TO postgres;

--
-- Name: group_concat(text); Type: AGGREGATE; Schema: public; Owner: postgres
--

CREATE AGGREGATE public.group_concat(text) (
    SFUNC = public._concat,
    STYPE = text
);


ALTER AGGREGATE public.group_concat(text) OWNER TO postgres;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: film; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.film (
    film_id integer NOT NULL,
    title text NOT NULL,
    release_year public.year,
    rating public.rating DEFAULT 'G'::public.rating,
    tags text[],
    last_update timestamp with time zone DEFAULT now() NOT NULL
);


ALTER TABLE public.film OWNER TO postgres;

--
-- Name: TABLE film; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON TABLE public.film IS 'public.film; every film';


--
-- Name: film_film_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

CREATE SEQUENCE public.film_film_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.film_film_id_seq OWNER TO postgres;

--
-- Name: film_film_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: postgres
--

ALTER SEQUENCE public.film_film_id_seq OWNED BY public.film.film_id;


--
-- Name: inventory; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.inventory (
    id bigint NOT NULL,
    film_id integer NOT NULL,
    copies integer DEFAULT 0 NOT NULL
);


ALTER TABLE public.inventory OWNER TO postgres;

--
-- Name: film_list; Type: VIEW; Schema: public; Owner: postgres
--

CREATE VIEW public.film_list AS
 SELECT f.film_id,
    f.title,
    f.release_year AS year,
    i.copies
   FROM (public.film f
     LEFT JOIN public.inventory i USING (film_id));


ALTER TABLE public.film_list OWNER TO postgres;

--
-- Name: inventory_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

ALTER TABLE public.inventory ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.inventory_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: payment; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.payment (
    payment_id bigint NOT NULL,
    film_id integer NOT NULL,
    amount numeric(5,2) NOT NULL,
    payment_date date NOT NULL
)
PARTITION BY RANGE (payment_date);


ALTER TABLE public.payment OWNER TO postgres;

--
-- Name: payment_payment_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

CREATE SEQUENCE public.payment_payment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.payment_payment_id_seq OWNER TO postgres;

--
-- Name: payment_payment_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: postgres
--

ALTER SEQUENCE public.payment_payment_id_seq OWNED BY public.payment.payment_id;


--
-- Name: payment_2026; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.payment_2026 (
    payment_id bigint DEFAULT nextval('public.payment_payment_id_seq'::regclass) NOT NULL,
    film_id integer NOT NULL,
    amount numeric(5,2) NOT NULL,
    payment_date date NOT NULL
);


ALTER TABLE public.payment_2026 OWNER TO postgres;

--
-- Name: payment_rest; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.payment_rest (
    payment_id bigint DEFAULT nextval('public.payment_payment_id_seq'::regclass) NOT NULL,
    film_id integer NOT NULL,
    amount numeric(5,2) NOT NULL,
    payment_date date NOT NULL
);


ALTER TABLE public.payment_rest OWNER TO postgres;

--
-- Name: titles; Type: MATERIALIZED VIEW; Schema: public; Owner: postgres
--

CREATE MATERIALIZED VIEW public.titles AS
 SELECT film.rating,
    public.group_concat(film.title) AS titles
   FROM public.film
  GROUP BY film.rating
  WITH NO DATA;


ALTER TABLE public.titles OWNER TO postgres;

--
-- Name: payment_2026; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.payment ATTACH PARTITION public.payment_2026 FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');


--
-- Name: payment_rest; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.payment ATTACH PARTITION public.payment_rest DEFAULT;


--
-- Name: film film_id; Type: DEFAULT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.film ALTER COLUMN film_id SET DEFAULT nextval('public.film_film_id_seq'::regclass);


--
-- Name: payment payment_id; Type: DEFAULT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.payment ALTER COLUMN payment_id SET DEFAULT nextval('public.payment_payment_id_seq'::regclass);


--
-- Name: film film_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.film
    ADD CONSTRAINT film_pkey PRIMARY KEY (film_id);


--
-- Name: inventory inventory_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.inventory
    ADD CONSTRAINT inventory_pkey PRIMARY KEY (id);


--
-- Name: payment payment_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.payment
    ADD CONSTRAINT payment_pkey PRIMARY KEY (payment_date, payment_id);


--
-- Name: payment_2026 payment_2026_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.payment_2026
    ADD CONSTRAINT payment_2026_pkey PRIMARY KEY (payment_date, payment_id);


--
-- Name: payment_rest payment_rest_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.payment_rest
    ADD CONSTRAINT payment_rest_pkey PRIMARY KEY (payment_date, payment_id);


--
-- Name: payment_film; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX payment_film ON ONLY public.payment USING btree (film_id);


--
-- Name: payment_2026_film_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX payment_2026_film_id_idx ON public.payment_2026 USING btree (film_id);


--
-- Name: payment_rest_film_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX payment_rest_film_id_idx ON public.payment_rest USING btree (film_id);


--
-- Name: payment_2026_film_id_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.payment_film ATTACH PARTITION public.payment_2026_film_id_idx;


--
-- Name: payment_2026_pkey; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.payment_pkey ATTACH PARTITION public.payment_2026_pkey;


--
-- Name: payment_rest_film_id_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.payment_film ATTACH PARTITION public.payment_rest_film_id_idx;


--
-- Name: payment_rest_pkey; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.payment_pkey ATTACH PARTITION public.payment_rest_pkey;


--
-- Name: film_years; Type: STATISTICS; Schema: public; Owner: postgres
--

CREATE STATISTICS public.film_years ON release_year, rating FROM public.film;


ALTER STATISTICS public.film_years OWNER TO postgres;

--
-- Name: film last_updated; Type: TRIGGER; Schema: public; Owner: postgres
--

CREATE TRIGGER last_updated BEFORE UPDATE ON public.film FOR EACH ROW EXECUTE FUNCTION public.last_updated();


--
-- Name: inventory inventory_film_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.inventory
    ADD CONSTRAINT inventory_film_id_fkey FOREIGN KEY (film_id) REFERENCES public.film(film_id);


--
-- Name: film all_films; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY all_films ON public.film USING (true);


--
-- Name: film; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.film ENABLE ROW LEVEL SECURITY;

--
-- Name: TABLE film; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.film TO clerk;


--
-- Name: DEFAULT PRIVILEGES FOR TABLES; Type: DEFAULT ACL; Schema: -; Owner: postgres
--

ALTER DEFAULT PRIVILEGES FOR ROLE postgres GRANT SELECT ON TABLES  TO clerk;


--
-- PostgreSQL database dump complete
--

\unrestrict b9sUewftvYfabPpNZAhVtyt4craJ868rU0WhfnOBFGTbUWGP8Rg71sxsaD1KKUg

