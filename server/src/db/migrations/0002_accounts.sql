CREATE TABLE "secrets" (
	"name" text PRIMARY KEY NOT NULL,
	"key" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "verified_at" timestamp (3) with time zone;--> statement-breakpoint
-- Remembered sessions used to go on for as long as they were used.
UPDATE "sessions" SET "expires_at" = least("expires_at", "created_at" + interval '90 days') WHERE "remember";
