ALTER TABLE "user_sockets" DROP CONSTRAINT "user_sockets_pkey";--> statement-breakpoint
ALTER TABLE "user_sockets" ADD CONSTRAINT "user_sockets_room_key" UNIQUE("socket_id","channel_id");
