CREATE TABLE "outbox" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"origin" uuid NOT NULL,
	"fact" text NOT NULL,
	"news" jsonb NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "user_sockets" ADD COLUMN "is_silent" boolean DEFAULT false NOT NULL;