-- Names that were stored before the contract cleaned them: as `cleanName` of text.ts, which says why each sequence stays.
-- The functions are this migration's alone (pg_temp). `hides` comes first in each condition because it is quick.
CREATE FUNCTION pg_temp.hides(value text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	select value ~ '[\u0001-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]'
$$;--> statement-breakpoint
CREATE FUNCTION pg_temp.clean_once(value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	select normalize(regexp_replace(
		regexp_replace(value, '[\t-\r\u0085\u2028\u2029]', ' ', 'g'),
		'([\u00a9\u00ae\u203c\u2049\u2100-\u27bf\u2900-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]\ufe0f?\u200d(?=[\u00a9\u00ae\u203c\u2049\u2100-\u27bf\u2900-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff])'
		|| '|[\u00a9\u00ae\u203c\u2049\u2100-\u27bf\u2900-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff][\ufe0e\ufe0f]'
		|| '|[#*0-9]\ufe0f(?=\u20e3)'
		|| '|\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f'
		|| '|[\u0600-\u061b\u061d-\u0dff\u0f00-\u109f\u1780-\u17b3\u17b6-\u180a\u1810-\u18af](?:\u200d|\u200c(?=[\u0600-\u061b\u061d-\u0dff\u0f00-\u109f\u1780-\u17b3\u17b6-\u180a\u1810-\u18af]))'
		|| '|[\u1820-\u18aa][\u180b-\u180f]'
		|| '|[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff][\ufe00-\ufe02\U000e0100-\U000e01ef])'
		|| '|[\u0001-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]',
		'\1', 'g'), NFC)
$$;--> statement-breakpoint
CREATE FUNCTION pg_temp.clean_name(value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	select regexp_replace(pg_temp.clean_once(pg_temp.clean_once(value)),
		'^[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+', '')
$$;--> statement-breakpoint
-- A name kept with an entry. Where nothing is left of it there is nothing better to say.
CREATE FUNCTION pg_temp.clean_kept(value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	select case when value = '' then '' else coalesce(nullif(pg_temp.clean_name(value), ''), '—') end
$$;--> statement-breakpoint
-- A name as activity_names has it: of a user the first and the display name, one a line.
CREATE FUNCTION pg_temp.clean_key(kind text, name text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	select case when kind = 'user'
		then pg_temp.clean_kept(split_part(name, E'\n', 1)) || E'\n' || pg_temp.clean_kept(substr(name, strpos(name, E'\n') + 1))
		else pg_temp.clean_kept(name) end
$$;--> statement-breakpoint
-- An account whose name showed nothing is called by its login until somebody names it.
UPDATE "users" SET
	first_name = coalesce(nullif(pg_temp.clean_name(first_name), ''), identifier),
	last_name = coalesce(nullif(pg_temp.clean_name(last_name), ''), identifier),
	pseudo = pg_temp.clean_name(pseudo), phone_number = pg_temp.clean_name(phone_number)
	WHERE pg_temp.hides(first_name || last_name || pseudo || phone_number);--> statement-breakpoint
-- The room's key never had such characters: it stays, and stays unique.
UPDATE "channels" SET name = coalesce(nullif(pg_temp.clean_name(name), ''), rtc_session) WHERE pg_temp.hides(name);--> statement-breakpoint
UPDATE "messages" SET user_display_name = pg_temp.clean_kept(user_display_name)
	WHERE pg_temp.hides(user_display_name) AND user_display_name <> pg_temp.clean_kept(user_display_name);--> statement-breakpoint
UPDATE "message_files" SET file_name = pg_temp.clean_kept(file_name) WHERE pg_temp.hides(file_name);--> statement-breakpoint
UPDATE "calls" SET caller_name = pg_temp.clean_kept(caller_name), callee_name = pg_temp.clean_kept(callee_name)
	WHERE pg_temp.hides(caller_name || callee_name);--> statement-breakpoint
-- The log may have millions of entries: they are found by whom they are about, because each name in them is listed.
CREATE TEMP TABLE "to_clean" ON COMMIT DROP AS
	SELECT DISTINCT kind, id FROM (
		SELECT kind, id, name FROM "activity_names"
		UNION ALL
		SELECT v.kind, v.id, v.name FROM "activity_deltas" CROSS JOIN LATERAL (VALUES
			('user', user_id, user_name), ('target', target_id, target_name), ('channel', channel_id, channel_name)
		) v(kind, id, name) WHERE v.id IS NOT NULL AND v.name IS NOT NULL
	) named WHERE pg_temp.hides(name) AND name <> pg_temp.clean_key(kind, name);--> statement-breakpoint
UPDATE "activities" SET
	user_first_name = pg_temp.clean_kept(user_first_name), user_display_name = pg_temp.clean_kept(user_display_name)
	FROM "to_clean" WHERE kind = 'user' AND user_id = to_clean.id AND pg_temp.hides(user_first_name || user_display_name);--> statement-breakpoint
UPDATE "activities" SET target_name = pg_temp.clean_kept(target_name)
	FROM "to_clean" WHERE kind = 'target' AND target_id = to_clean.id AND pg_temp.hides(target_name);--> statement-breakpoint
UPDATE "activities" SET channel_name = pg_temp.clean_kept(channel_name)
	FROM "to_clean" WHERE kind = 'channel' AND channel_id = to_clean.id AND pg_temp.hides(channel_name);--> statement-breakpoint
-- Two names of somebody may have become one.
DELETE FROM "activity_names" USING "to_clean" WHERE activity_names.kind = to_clean.kind AND activity_names.id = to_clean.id;--> statement-breakpoint
INSERT INTO "activity_names" (kind, id, name)
	SELECT DISTINCT 'user', user_id, user_first_name || E'\n' || user_display_name
		FROM "activities" JOIN "to_clean" ON kind = 'user' AND user_id = to_clean.id
	UNION SELECT 'target', target_id, target_name
		FROM "activities" JOIN "to_clean" ON kind = 'target' AND target_id = to_clean.id WHERE target_name IS NOT NULL
	UNION SELECT 'channel', channel_id, channel_name
		FROM "activities" JOIN "to_clean" ON kind = 'channel' AND channel_id = to_clean.id WHERE channel_name IS NOT NULL;--> statement-breakpoint
UPDATE "activity_deltas" SET user_name = pg_temp.clean_key('user', user_name),
	target_name = pg_temp.clean_kept(target_name), channel_name = pg_temp.clean_kept(channel_name)
	WHERE pg_temp.hides(user_name || coalesce(target_name, '') || coalesce(channel_name, ''));--> statement-breakpoint
-- What a name was changed from and to.
UPDATE "activities" SET details = jsonb_set(details, '{changes}', (
		SELECT jsonb_agg(change || jsonb_build_object(
			'from', pg_temp.clean_name(change ->> 'from'), 'to', pg_temp.clean_name(change ->> 'to')) ORDER BY n)
		FROM jsonb_array_elements(details -> 'changes') WITH ORDINALITY one(change, n)))
	WHERE type IN ('user_update', 'channel_update') AND jsonb_typeof(details -> 'changes') = 'array' AND EXISTS (
		SELECT 1 FROM jsonb_array_elements(details -> 'changes') change WHERE pg_temp.hides((change ->> 'from') || (change ->> 'to')));
