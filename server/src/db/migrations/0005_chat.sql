CREATE TABLE "message_counters" (
	"channel_id" uuid PRIMARY KEY NOT NULL,
	"newest" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "message_files" (
	"message_id" uuid PRIMARY KEY NOT NULL,
	"stored_name" text NOT NULL,
	"file_name" text NOT NULL,
	"width" integer NOT NULL,
	"height" integer NOT NULL,
	"bytes" integer NOT NULL,
	CONSTRAINT "message_files_name_key" UNIQUE("stored_name")
);
--> statement-breakpoint
CREATE TABLE "message_marks" (
	"user_id" uuid NOT NULL,
	"channel_id" uuid NOT NULL,
	"read_up_to" bigint NOT NULL,
	"recorded_at" timestamp (3) with time zone,
	CONSTRAINT "message_marks_channel_id_user_id_pk" PRIMARY KEY("channel_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "message_reads" (
	"channel_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"first_number" bigint NOT NULL,
	"last_number" bigint NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "message_reads_channel_id_user_id_first_number_pk" PRIMARY KEY("channel_id","user_id","first_number")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"channel_id" uuid NOT NULL,
	"number" bigint NOT NULL,
	"user_id" uuid NOT NULL,
	"user_display_name" text NOT NULL,
	"text" text NOT NULL,
	"client_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	"search_text" text GENERATED ALWAYS AS (translate(fold_text(text), E'\n', ' ')) STORED NOT NULL,
	CONSTRAINT "messages_place_key" UNIQUE("channel_id","number"),
	CONSTRAINT "messages_client_key" UNIQUE("user_id","client_id")
);
--> statement-breakpoint
ALTER TABLE "channel_members" ADD COLUMN "messages_before" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "message_counters" ADD CONSTRAINT "message_counters_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_files" ADD CONSTRAINT "message_files_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_marks" ADD CONSTRAINT "message_marks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_marks" ADD CONSTRAINT "message_marks_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_reads" ADD CONSTRAINT "message_reads_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_reads" ADD CONSTRAINT "message_reads_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "message_marks_user_idx" ON "message_marks" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "message_reads_user_idx" ON "message_reads" USING btree ("user_id");