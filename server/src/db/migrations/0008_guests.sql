CREATE TABLE "guest_links" (
	"id" uuid PRIMARY KEY NOT NULL,
	"channel_id" uuid NOT NULL,
	"name" text NOT NULL,
	"token_hash" text NOT NULL,
	"created_by" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"withdrawn_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "guest_links_token_key" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "guest_sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"link_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "guest_sessions_token_key" UNIQUE("token_hash")
);
--> statement-breakpoint
ALTER TABLE "user_sockets" ALTER COLUMN "user_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "user_sockets" ADD COLUMN "guest_id" uuid;--> statement-breakpoint
ALTER TABLE "guest_links" ADD CONSTRAINT "guest_links_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "guest_links" ADD CONSTRAINT "guest_links_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "guest_sessions" ADD CONSTRAINT "guest_sessions_link_id_guest_links_id_fk" FOREIGN KEY ("link_id") REFERENCES "public"."guest_links"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "guest_links_channel_idx" ON "guest_links" USING btree ("channel_id","created_at");--> statement-breakpoint
CREATE INDEX "guest_links_maker_idx" ON "guest_links" USING btree ("created_by");--> statement-breakpoint
CREATE INDEX "guest_links_expiry_idx" ON "guest_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "guest_sessions_link_idx" ON "guest_sessions" USING btree ("link_id");--> statement-breakpoint
ALTER TABLE "user_sockets" ADD CONSTRAINT "user_sockets_guest_id_guest_sessions_id_fk" FOREIGN KEY ("guest_id") REFERENCES "public"."guest_sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "user_sockets_guest_idx" ON "user_sockets" USING btree ("guest_id");--> statement-breakpoint
ALTER TABLE "user_sockets" ADD CONSTRAINT "user_sockets_owner" CHECK (num_nonnulls("user_sockets"."user_id", "user_sockets"."guest_id") = 1);