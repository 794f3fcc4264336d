CREATE TABLE "jobs" (
	"name" text PRIMARY KEY NOT NULL,
	"owner" uuid NOT NULL,
	"begun_at" timestamp (3) with time zone NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL
);
