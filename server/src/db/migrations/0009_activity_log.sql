CREATE TABLE "activity_counts" (
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"span" text NOT NULL,
	"begins" timestamp (3) with time zone NOT NULL,
	"spec" integer NOT NULL,
	"audit" integer NOT NULL,
	CONSTRAINT "activity_counts_kind_key_span_begins_pk" PRIMARY KEY("kind","key","span","begins")
);
--> statement-breakpoint
CREATE TABLE "activity_deltas" (
	"hour" timestamp (3) with time zone NOT NULL,
	"type" text NOT NULL,
	"is_audit" boolean NOT NULL,
	"user_id" uuid,
	"user_name" text NOT NULL,
	"target_id" uuid,
	"target_name" text,
	"channel_id" uuid,
	"channel_name" text,
	"n" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "activity_horizon" (
	"id" integer PRIMARY KEY NOT NULL,
	"before" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "activity_names" (
	"kind" text NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"search_text" text GENERATED ALWAYS AS (fold_text(name)) STORED NOT NULL,
	CONSTRAINT "activity_names_kind_id_name_pk" PRIMARY KEY("kind","id","name")
);
--> statement-breakpoint
DROP INDEX "activities_created_idx";--> statement-breakpoint
DROP INDEX "activities_user_idx";--> statement-breakpoint
DROP INDEX "activities_channel_idx";--> statement-breakpoint
ALTER TABLE "activities" ALTER COLUMN "user_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "activities" ALTER COLUMN "user_first_name" SET DEFAULT '';--> statement-breakpoint
ALTER TABLE "activities" ALTER COLUMN "user_display_name" SET DEFAULT '';--> statement-breakpoint
ALTER TABLE "activities" ADD COLUMN "is_audit" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "activities" ADD COLUMN "target_id" uuid;--> statement-breakpoint
ALTER TABLE "activities" ADD COLUMN "target_name" text;--> statement-breakpoint
ALTER TABLE "activities" ADD COLUMN "address" text;--> statement-breakpoint
ALTER TABLE "activities" ADD COLUMN "details" jsonb;--> statement-breakpoint
CREATE INDEX "activities_type_idx" ON "activities" USING btree ("type","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "activities_user_spec_idx" ON "activities" USING btree ("user_id","created_at" DESC NULLS LAST) WHERE not is_audit;--> statement-breakpoint
CREATE INDEX "activities_target_idx" ON "activities" USING btree ("target_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE target_id is not null;--> statement-breakpoint
CREATE INDEX "channels_created_idx" ON "channels" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "users_created_idx" ON "users" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "activities_created_idx" ON "activities" USING btree ("created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "activities_user_idx" ON "activities" USING btree ("user_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "activities_channel_idx" ON "activities" USING btree ("channel_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
-- Counts entries where they are stored, whoever stores them: in the same transaction, and without waiting for another.
CREATE FUNCTION "count_activities"() RETURNS trigger LANGUAGE plpgsql AS $$
begin
	insert into activity_deltas
		(hour, type, is_audit, user_id, user_name, target_id, target_name, channel_id, channel_name, n)
	select date_trunc('hour', created_at, 'UTC'), type, is_audit, user_id, user_first_name || E'\n' || user_display_name,
		target_id, target_name, channel_id, channel_name, count(*)
	from added group by 1, 2, 3, 4, 5, 6, 7, 8, 9;
	return null;
end $$;--> statement-breakpoint
CREATE TRIGGER "count_activities" AFTER INSERT ON "activities" REFERENCING NEW TABLE AS "added"
	FOR EACH STATEMENT EXECUTE FUNCTION "count_activities"();--> statement-breakpoint
-- What was there before.
INSERT INTO "activity_deltas" (hour, type, is_audit, user_id, user_name, target_id, target_name, channel_id, channel_name, n)
	SELECT date_trunc('hour', created_at, 'UTC'), type, is_audit, user_id, user_first_name || E'\n' || user_display_name,
		target_id, target_name, channel_id, channel_name, count(*)
	FROM "activities" GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9;--> statement-breakpoint
-- Emptied all the time: cleared soon, so that counting reads few pages.
ALTER TABLE "activity_deltas" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_insert_scale_factor = 0);
