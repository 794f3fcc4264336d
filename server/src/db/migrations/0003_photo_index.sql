ALTER TABLE "user_photos" RENAME COLUMN "jpeg" TO "image";--> statement-breakpoint
ALTER TABLE "user_photos" ADD COLUMN "type" text DEFAULT 'image/jpeg' NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "user_photos_photo_key" ON "user_photos" USING btree ("photo_id");