-- Hand-made: UNLOGGED, and room on each page for the next version of a row. Changes several times a second are then no work for the log.
CREATE UNLOGGED TABLE "floor_epochs" (
	"id" integer PRIMARY KEY NOT NULL,
	"opened_at" bigint NOT NULL,
	CONSTRAINT "floor_epochs_one" CHECK ("floor_epochs"."id" = 1)
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "floor_talks" (
	"channel_id" uuid NOT NULL,
	"participant_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"version" bigint,
	"began_at" bigint NOT NULL,
	"ended_at" bigint,
	CONSTRAINT "floor_talks_channel_id_participant_id_began_at_pk" PRIMARY KEY("channel_id","participant_id","began_at")
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "floors" (
	"channel_id" uuid PRIMARY KEY NOT NULL,
	"revision" bigint NOT NULL,
	"state" text NOT NULL,
	"at" bigint NOT NULL,
	"due_at" bigint,
	"is_due" boolean NOT NULL
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE INDEX "floor_talks_version_idx" ON "floor_talks" USING btree ("channel_id","version");--> statement-breakpoint
CREATE INDEX "floors_due_idx" ON "floors" USING btree ("channel_id") WHERE is_due;