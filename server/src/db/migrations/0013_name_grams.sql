-- Each three letters in a row of a text, once. An extension has as much (pg_trgm), but not every server does.
CREATE FUNCTION "text_grams"("value" text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT coalesce(array_agg(DISTINCT substr(value, n, 3)), '{}') FROM generate_series(1, length(value) - 2) n
$$;--> statement-breakpoint
ALTER TABLE "activity_names" ADD COLUMN "grams" text[] GENERATED ALWAYS AS (text_grams(fold_text(name))) STORED NOT NULL;--> statement-breakpoint
CREATE INDEX "activity_names_grams_idx" ON "activity_names" USING gin ("grams");