CREATE TABLE "imports" (
	"owner_id" uuid NOT NULL,
	"import_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"state" text NOT NULL,
	"process_id" uuid NOT NULL,
	"is_unwanted" boolean DEFAULT false NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"total" integer DEFAULT 0 NOT NULL,
	"outcome" json,
	"size" integer DEFAULT 0 NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "imports_owner_id_import_id_pk" PRIMARY KEY("owner_id","import_id")
);
--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "server_id" uuid;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "callee_server_id" uuid;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "live" jsonb;--> statement-breakpoint
ALTER TABLE "imports" ADD CONSTRAINT "imports_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "imports_running_key" ON "imports" USING btree ("owner_id") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "imports_ended_idx" ON "imports" USING btree ("ended_at");