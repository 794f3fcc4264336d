CREATE TABLE "erasures" (
	"owner_id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"deleted_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
-- Names each user and channel that is deleted, whoever deletes it, so that the server deletes their history afterwards.
CREATE FUNCTION "note_erasures"() RETURNS trigger LANGUAGE plpgsql AS $$
begin
	insert into erasures (owner_id, kind) select id, TG_ARGV[0] from gone on conflict do nothing;
	return null;
end $$;--> statement-breakpoint
CREATE TRIGGER "note_erasures" AFTER DELETE ON "users" REFERENCING OLD TABLE AS "gone"
	FOR EACH STATEMENT EXECUTE FUNCTION "note_erasures"('user');--> statement-breakpoint
CREATE TRIGGER "note_erasures" AFTER DELETE ON "channels" REFERENCING OLD TABLE AS "gone"
	FOR EACH STATEMENT EXECUTE FUNCTION "note_erasures"('channel');--> statement-breakpoint
-- History has no foreign keys any more: a cascade of millions of rows would hold up the deletion.
ALTER TABLE "calls" DROP CONSTRAINT "calls_caller_id_users_id_fk";
--> statement-breakpoint
ALTER TABLE "calls" DROP CONSTRAINT "calls_callee_id_users_id_fk";
--> statement-breakpoint
ALTER TABLE "contacts" DROP CONSTRAINT "contacts_user_id_users_id_fk";
--> statement-breakpoint
ALTER TABLE "contacts" DROP CONSTRAINT "contacts_contact_id_users_id_fk";
--> statement-breakpoint
ALTER TABLE "message_marks" DROP CONSTRAINT "message_marks_user_id_users_id_fk";
--> statement-breakpoint
ALTER TABLE "message_marks" DROP CONSTRAINT "message_marks_channel_id_channels_id_fk";
--> statement-breakpoint
ALTER TABLE "message_reads" DROP CONSTRAINT "message_reads_channel_id_channels_id_fk";
--> statement-breakpoint
ALTER TABLE "message_reads" DROP CONSTRAINT "message_reads_user_id_users_id_fk";
--> statement-breakpoint
ALTER TABLE "user_positions" DROP CONSTRAINT "user_positions_user_id_users_id_fk";
--> statement-breakpoint
DROP INDEX "message_reads_user_idx";--> statement-breakpoint
DROP INDEX "user_positions_recorded_idx";--> statement-breakpoint
CREATE INDEX "activities_user_channel_idx" ON "activities" USING btree ("user_id","channel_id","created_at" DESC NULLS LAST) WHERE not is_audit and channel_id is not null;--> statement-breakpoint
CREATE INDEX "messages_created_idx" ON "messages" USING btree ("created_at");