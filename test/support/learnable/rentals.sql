-- Tables in the manner of Pagila, the sample database of a video rental.
CREATE TYPE mpaa_rating AS ENUM ('G', 'PG', 'PG-13', 'R', 'NC-17');
CREATE DOMAIN year AS integer CONSTRAINT year_check CHECK (VALUE >= 1901 AND VALUE <= 2155);
CREATE TABLE country (country_id serial PRIMARY KEY, country text NOT NULL, last_update timestamptz DEFAULT now() NOT NULL);
CREATE TABLE city (
  city_id serial PRIMARY KEY, city text NOT NULL, country_id integer NOT NULL REFERENCES country ON UPDATE CASCADE
);
CREATE TABLE address (
  address_id serial PRIMARY KEY, address text NOT NULL, district text NOT NULL, city_id integer NOT NULL REFERENCES city,
  postal_code text, phone text NOT NULL
);
CREATE TABLE store (store_id serial PRIMARY KEY, address_id integer NOT NULL REFERENCES address);
CREATE TABLE customer (
  customer_id serial PRIMARY KEY, store_id integer NOT NULL REFERENCES store, first_name text NOT NULL,
  last_name text NOT NULL, email text, address_id integer NOT NULL REFERENCES address,
  activebool boolean DEFAULT true NOT NULL, create_date date DEFAULT CURRENT_DATE NOT NULL
);
CREATE INDEX idx_last_name ON customer (last_name);
CREATE TABLE language (language_id serial PRIMARY KEY, name character(20) NOT NULL);
CREATE TABLE film (
  film_id serial PRIMARY KEY, title text NOT NULL, description text, release_year year,
  language_id integer NOT NULL REFERENCES language, rental_duration smallint DEFAULT 3 NOT NULL,
  rental_rate numeric(4, 2) DEFAULT 4.99 NOT NULL, length smallint, rating mpaa_rating DEFAULT 'G'::mpaa_rating,
  special_features text[], fulltext tsvector NOT NULL
);
CREATE INDEX film_fulltext_idx ON film USING gist (fulltext);
CREATE INDEX idx_title ON film (title);
CREATE TRIGGER film_fulltext_trigger BEFORE INSERT OR UPDATE ON film
  FOR EACH ROW EXECUTE FUNCTION tsvector_update_trigger('fulltext', 'pg_catalog.english', 'title', 'description');
CREATE TABLE actor (actor_id serial PRIMARY KEY, first_name text NOT NULL, last_name text NOT NULL);
CREATE TABLE film_actor (
  actor_id integer NOT NULL REFERENCES actor, film_id integer NOT NULL REFERENCES film, PRIMARY KEY (actor_id, film_id)
);
CREATE INDEX idx_fk_film_id ON film_actor (film_id);
CREATE TABLE inventory (
  inventory_id serial PRIMARY KEY, film_id integer NOT NULL REFERENCES film, store_id integer NOT NULL REFERENCES store
);
CREATE INDEX idx_store_id_film_id ON inventory (store_id, film_id);
CREATE TABLE rental (
  rental_id serial PRIMARY KEY, rental_date timestamptz NOT NULL, inventory_id integer NOT NULL REFERENCES inventory,
  customer_id integer NOT NULL REFERENCES customer, return_date timestamptz
);
CREATE INDEX idx_inventory_id ON rental (inventory_id);
CREATE INDEX idx_rental_customer ON rental (customer_id);
CREATE TABLE payment (
  payment_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer_id integer NOT NULL REFERENCES customer,
  rental_id integer NOT NULL REFERENCES rental, amount numeric(5, 2) NOT NULL, payment_date timestamptz NOT NULL
);
CREATE INDEX idx_payment_customer ON payment (customer_id);
CREATE FUNCTION inventory_in_stock(p_inventory_id integer) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN NOT EXISTS (SELECT FROM public.rental WHERE inventory_id = p_inventory_id AND return_date IS NULL);
END $$;
CREATE VIEW customer_list AS
  SELECT cu.customer_id AS id, cu.first_name || ' ' || cu.last_name AS name, a.address, city.city, country.country
  FROM customer cu JOIN address a USING (address_id) JOIN city USING (city_id) JOIN country USING (country_id);

INSERT INTO country (country) SELECT 'country ' || g FROM generate_series(1, 109) g;
INSERT INTO city (city, country_id) SELECT 'city ' || g, 1 + g % 109 FROM generate_series(1, 600) g;
INSERT INTO address (address, district, city_id, phone) SELECT g || ' street', 'district', 1 + g % 600, '0' || g FROM generate_series(1, 603) g;
INSERT INTO store (address_id) VALUES (1), (2);
INSERT INTO customer (store_id, first_name, last_name, email, address_id)
  SELECT 1 + g % 2, 'first ' || g % 200, 'last ' || g, 'customer.' || g || '@example.org', 1 + g % 603 FROM generate_series(1, 600) g;
INSERT INTO language (name) VALUES ('English'), ('Italian'), ('Japanese'), ('French'), ('German');
INSERT INTO film (title, description, release_year, language_id, length, rating, special_features)
  SELECT 'film ' || g, 'a story of ' || md5(g::text), 2006, 1, 60 + g % 120,
    (enum_range(NULL::mpaa_rating))[1 + g % 5], ARRAY['Trailers'] FROM generate_series(1, 1000) g;
INSERT INTO actor (first_name, last_name) SELECT 'first ' || g, 'last ' || g FROM generate_series(1, 200) g;
INSERT INTO film_actor SELECT 1 + (g * 7) % 200, 1 + g % 1000 FROM generate_series(1, 5000) g ON CONFLICT DO NOTHING;
INSERT INTO inventory (film_id, store_id) SELECT 1 + g % 1000, 1 + g % 2 FROM generate_series(1, 4500) g;
INSERT INTO rental (rental_date, inventory_id, customer_id, return_date)
  SELECT now() - g * interval '1 minute', 1 + g % 4500, 1 + g % 600, CASE WHEN g % 90 > 0 THEN now() END FROM generate_series(1, 16000) g;
INSERT INTO payment (customer_id, rental_id, amount, payment_date)
  SELECT customer_id, rental_id, 1 + rental_id % 9, rental_date FROM rental;
