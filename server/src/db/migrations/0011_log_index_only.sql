CREATE INDEX "activities_audit_idx" ON "activities" USING btree ("created_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE is_audit;--> statement-breakpoint
INSERT INTO "activity_counts" (kind, key, span, begins, spec, audit)
	SELECT kind, key, 'month', date_trunc('month', begins, 'UTC'), sum(spec), sum(audit)
	FROM "activity_counts" WHERE span = 'day' GROUP BY 1, 2, 4;--> statement-breakpoint
-- With what is added up, so that the rows themselves, which lie all over the table, are not read.
ALTER TABLE "activity_counts" DROP CONSTRAINT "activity_counts_kind_key_span_begins_pk";--> statement-breakpoint
ALTER TABLE "activity_counts" ADD CONSTRAINT "activity_counts_kind_key_span_begins_pk"
	PRIMARY KEY ("kind","key","span","begins") INCLUDE ("spec","audit");--> statement-breakpoint
-- With what most filters ask besides.
DROP INDEX "activities_created_idx";--> statement-breakpoint
DROP INDEX "activities_user_idx";--> statement-breakpoint
DROP INDEX "activities_channel_idx";--> statement-breakpoint
DROP INDEX "activities_target_idx";--> statement-breakpoint
CREATE INDEX "activities_created_idx" ON "activities" USING btree ("created_at" DESC NULLS LAST,"id" DESC NULLS LAST) INCLUDE ("is_audit");--> statement-breakpoint
CREATE INDEX "activities_user_idx" ON "activities" USING btree ("user_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST) INCLUDE ("is_audit");--> statement-breakpoint
CREATE INDEX "activities_channel_idx" ON "activities" USING btree ("channel_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST) INCLUDE ("is_audit");--> statement-breakpoint
CREATE INDEX "activities_target_idx" ON "activities" USING btree ("target_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST) INCLUDE ("is_audit") WHERE target_id is not null;--> statement-breakpoint
-- What a vacuum has not seen since is read from the table all the same: often, and therefore little each time.
ALTER TABLE "activity_counts" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "activities" SET (autovacuum_vacuum_insert_scale_factor = 0.02);
