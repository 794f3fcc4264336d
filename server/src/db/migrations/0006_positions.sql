CREATE TABLE "last_positions" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"recorded_at" timestamp (3) with time zone NOT NULL,
	"lat" double precision NOT NULL,
	"lng" double precision NOT NULL,
	"accuracy" real,
	"logged_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "user_positions" (
	"user_id" uuid NOT NULL,
	"recorded_at" timestamp (3) with time zone NOT NULL,
	"lat" double precision NOT NULL,
	"lng" double precision NOT NULL,
	"accuracy" real,
	CONSTRAINT "user_positions_user_id_recorded_at_pk" PRIMARY KEY("user_id","recorded_at")
);
--> statement-breakpoint
ALTER TABLE "last_positions" ADD CONSTRAINT "last_positions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_positions" ADD CONSTRAINT "user_positions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "user_positions_recorded_idx" ON "user_positions" USING brin ("recorded_at");