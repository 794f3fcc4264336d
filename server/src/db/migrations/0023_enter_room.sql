-- Hand-made. A process stores an entrance by one statement, whose lock and reading are one transaction. Each statement of a volatile function sees
-- what was committed before it, so the room is as it is after the lock was got.
CREATE FUNCTION "enter_room"(entry jsonb, room_locks integer) RETURNS SETOF "user_sockets" LANGUAGE plpgsql ROWS 20 AS $$
begin
	perform pg_advisory_xact_lock(room_locks, hashtext(entry ->> 'channel_id'));
	delete from user_sockets where socket_id = entry ->> 'socket_id' and channel_id is null;
	insert into user_sockets
		(socket_id, user_id, guest_id, session_id, server_id, channel_id, joined_at, video, talk_ms, is_silent)
	select one.socket_id, one.user_id, one.guest_id, one.session_id, one.server_id, one.channel_id, one.joined_at, one.video,
		one.talk_ms, one.is_silent
	from jsonb_populate_record(null::user_sockets, entry) one
	on conflict (socket_id, channel_id)
		do update set joined_at = excluded.joined_at, video = excluded.video, talk_ms = null, is_silent = false;
	return query select * from user_sockets where channel_id = (entry ->> 'channel_id')::uuid;
end $$;
