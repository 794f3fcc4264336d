-- Rows of processes that have no lease; whoever lives puts theirs back.
DELETE FROM "user_sockets";--> statement-breakpoint
CREATE TABLE "servers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "user_sockets" ADD CONSTRAINT "user_sockets_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "user_sockets_server_idx" ON "user_sockets" USING btree ("server_id");--> statement-breakpoint
ALTER TABLE "user_sockets" DROP COLUMN "seen_at";