-- The order of names: as dictionaries have it, numbers by value. The same on every engine, which 'default' is not.
-- Not as 'und-u-kn': the ICU inside PGlite cannot read that and leaves numbers in the order of their digits.
CREATE COLLATION "natural_order" (provider = icu, locale = '@colNumeric=yes');--> statement-breakpoint
-- Text as filters compare it: without case, accents and ligatures. Stored texts and what is looked for go through it alike.
CREATE FUNCTION "fold_text"("value" text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	select translate(
		replace(replace(replace(regexp_replace(normalize(lower("value"), NFKD), '[\u0300-\u036f]', '', 'g'), 'œ', 'oe'), 'æ', 'ae'), 'ß', 'ss'),
		'øłđ', 'old'
	)
$$;--> statement-breakpoint
CREATE TABLE "user_photos" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"photo_id" uuid NOT NULL,
	"jpeg" "bytea" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "search_text" text GENERATED ALWAYS AS (fold_text(name)) STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "search_text" text GENERATED ALWAYS AS (fold_text(first_name || E'\n' || last_name || E'\n' || identifier || E'\n' || pseudo)) STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "photo_id" uuid;--> statement-breakpoint
ALTER TABLE "user_photos" ADD CONSTRAINT "user_photos_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;