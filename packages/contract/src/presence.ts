import { talkMode } from './channels.ts';
import { role } from './credentials.ts';
import { channelId, participantId, userId } from './ids.ts';
import { LATEST_ACTIVITIES_MAX, MEMBERS_NAMED_MAX, RESUME_TOKEN_MAX_LENGTH } from './limits.ts';
import { clientEvent, done, forGuests, inRoom, serverEvent } from './socket.ts';
import { userActivity, userSocket } from './users.ts';
import { floorNews, requestSeq } from './voice.ts';
import { onDemand, z } from './zod.ts';

export const videoShown = z
  .enum(['off', 'camera', 'screen'])
  .meta({ description: 'The picture that a participant of the video view shows. `off`: none at the moment.' });
export type VideoShown = z.infer<typeof videoShown>;

// Rules VID1, PRES30, PRES27.
export const participant = onDemand(() =>
  z
    .object({
      id: participantId,
      userId,
      name: z.string(),
      // Rule GUEST7.
      fullName: z.string().optional().meta({
        description:
          'First and last name of somebody whose `name` is a pseudo. Left out if `name` is that already, and for guests who receive it.',
      }),
      role,
      // Rule GUEST7.
      photo_url: z.string().optional().meta({
        description:
          'Signed path of the photo, valid for one to two hours. Left out if there is none, and for guests who receive it.',
      }),
      video: videoShown.optional(),
      silent: z.literal(true).optional(),
      // Rule GUEST8.
      guest: z.object({ name: z.string(), link: z.string() }).optional().meta({
        description:
          "Present for guests only: the name that they chose, and the name of their link. `name` has both, `userId` is the guest's id, and `role` is `member`.",
      }),
    })
    .meta({
      description:
        "A participant. `id` is the id of the socket by which it first connected, `name` the display name, `role` the priority on the floor. Only participants of the video view have `video`: they send pictures to each other, and to nobody else. `silent` is present while the socket is lost, or while the beats of a client that beats stay away. Such a participant can't answer, and may hear nobody.",
    }),
);
export type Participant = z.infer<ReturnType<typeof participant>>;

export const roomParticipant = onDemand(() =>
  participant()
    .extend({ channelId })
    .meta({ description: 'A participant in the room of a channel, for events that are about several rooms.' }),
);
export type RoomParticipant = z.infer<ReturnType<typeof roomParticipant>>;

export const iceServer = onDemand(() =>
  z
    .object({
      urls: z.array(z.string()),
      username: z.string().optional(),
      credential: z.string().optional(),
    })
    .meta({ description: 'An entry of RTCConfiguration.iceServers.' }),
);

export const iceConfig = onDemand(() =>
  z
    .object({
      iceServers: z.array(iceServer()),
      iceTransportPolicy: z.enum(['all', 'relay']),
      ttlSeconds: z.int(),
    })
    .meta({ description: 'ICE configuration. Credentials are created per session and expire after `ttlSeconds`.' }),
);
export type IceConfig = z.infer<ReturnType<typeof iceConfig>>;

export const roomChannel = onDemand(() =>
  z
    .object({ id: channelId, name: z.string(), rtcSession: z.string(), talkMode })
    .meta({ description: 'A channel as its room shows it.' }),
);
export type RoomChannel = z.infer<ReturnType<typeof roomChannel>>;

export const roomState = onDemand(() =>
  z
    .object({
      channel: roomChannel(),
      self: participant(),
      participants: z
        .array(participant())
        .meta({ description: 'The others, in order of arrival: the newcomer makes an offer to each.' }),
      floor: floorNews(),
      floorKey: z.string().meta({
        description:
          'The key by which signatures of floors are checked: an uncompressed point of P-256 (SEC 1, §2.3.3), base64url.',
      }),
      stay: z.string().meta({ description: 'Proves to `talks_since` that this user has been here since this answer.' }),
      // Rule TALK155.
      resume: z.string().nullable().meta({
        description:
          "The secret by which the next join takes this participant over, also on another socket. Null: the join had no `resume`. Dots divide it into parts; the second one tells the server's processes apart.",
      }),
      ice: iceConfig(),
    })
    .meta({
      description: 'The complete state of a room for a client, sent on each join, including rejoins after a lost link.',
    }),
);
export type RoomState = z.infer<ReturnType<typeof roomState>>;

export const userPresence = onDemand(() =>
  z
    .object({
      userId,
      connected: z.boolean().meta({ description: 'True if the user has a live socket.' }),
      user_sockets: z.array(userSocket()).meta({
        description: 'As in lists, but with at most one socket for each room and at most one that is in no room.',
      }),
      userActivities: z
        .array(userActivity())
        .max(LATEST_ACTIVITIES_MAX)
        .optional()
        .meta({ description: 'As in lists. For administrators only.' }),
    })
    .meta({ description: 'The current presence of a user. It replaces what a list says.' }),
);
export type UserPresence = z.infer<ReturnType<typeof userPresence>>;

export const statusNews = onDemand(() =>
  z
    .object({
      channelId: channelId.nullable().meta({
        description:
          'The patch shows what members of this channel may know. Null: it shows everything, for administrators.',
      }),
      users: z.array(userPresence()),
      rooms: z
        .array(z.object({ channelId, connected: z.int() }))
        .meta({ description: 'The number of different users in these rooms.' }),
      connected: z
        .int()
        .optional()
        .meta({ description: 'The number of different users in any room. For administrators only.' }),
    })
    .meta({
      description:
        'Patches to lists: who is connected, and how many are in which room. All values are absolute, not differences, so a patch that is lost or applied twice does no harm. The server collects changes and sends them a few times a second.',
    }),
);
export type StatusNews = z.infer<ReturnType<typeof statusNews>>;

export const presenceClientEvents = {
  // Rules PRES16, PRES28, PRES6, PRES7, PRES30, VID1.
  join_room: forGuests(
    clientEvent(
      () =>
        z
          .object({
            room: z.string().min(1).max(1000),
            name: z.string().max(1000).optional(),
            channelId: channelId.optional(),
            keep: z.boolean().default(false),
            resume: z.string().max(RESUME_TOKEN_MAX_LENGTH).nullish(),
            // Rule TALK150.
            floor: floorNews().optional().meta({
              description:
                'For a client that comes back: the newest signed floor of this channel that it has. After a restart the server restores it.',
            }),
            // Rule TALK151.
            claim: requestSeq().optional().meta({
              description:
                'For a client that comes back: the number of the press by which it had the floor when the link was lost.',
            }),
            video: videoShown.optional(),
          })
          .meta({
            description:
              "`room` is the channel's rtcSession. `name` is accepted and ignored: names come from the account. Clients that come back send `channelId`, which counts instead of `room`. With `keep` the participant stays in its other rooms, up to ROOMS_MAX in all; without it, it leaves them. The server handles a participant's joins and leaves one after the other, two a second in the long run. A later one of the same room, or one without `keep`, replaces those that wait: they are answered too_many. `resume` is null at the first join of a client that can resume, then the newest token that it got. The token takes over a participant whose socket was lost: the room is told of no entering. If nothing can be resumed, the join is an ordinary one. A client that leaves `resume` out leaves with its socket. Only the video view sends `video`: what it shows at this moment.",
          }),
      roomState,
      ['not_found', 'not_a_member', 'rooms_full'],
    ),
  ),
  leave_room: forGuests(
    clientEvent(
      () =>
        z
          .object({ channelId: channelId.optional() })
          .meta({ description: 'Leaves one room, or all that the participant is in.' }),
      () => done,
    ),
  ),
  // Rule VID5.
  video_state: forGuests(
    clientEvent(
      () =>
        inRoom({ video: videoShown }).meta({
          description:
            'Says what the video view shows from now on; the others get `participant_changed`. `forbidden` for those who joined without `video`; `not_in_room`; `too_many` beyond ten changes at once and two a second in the long run.',
        }),
      () => done,
      ['not_in_room'],
    ),
  ),
  ice_config: forGuests(
    clientEvent(
      () => inRoom({}).meta({ description: 'New ICE servers, requested before the credentials expire.' }),
      iceConfig,
      ['not_in_room'],
    ),
  ),
};

export const presenceServerEvents = {
  ready: serverEvent(() =>
    z.object({ quietMs: z.int().nonnegative().optional() }).meta({
      description:
        'The socket receives all news from here on. Lists that were read before may be out of date, except those that were asked for within the last `quietMs`: there has been no news since.',
    }),
  ),
  all_users: forGuests(
    serverEvent(() => z.array(roomParticipant()).meta({ description: 'To the newcomer: the other participants.' })),
  ),
  usersInThisRoom: forGuests(
    serverEvent(() =>
      z
        .array(roomParticipant())
        .meta({ description: 'To the newcomer: all participants. Those who were there before receive changes only.' }),
    ),
  ),
  'user joined': forGuests(
    serverEvent(() =>
      roomParticipant().meta({
        description: "To those who are in the room: one more entered it. They wait for the newcomer's offer.",
      }),
    ),
  ),
  user_exit: forGuests(
    serverEvent(() =>
      z
        .object({ id: participantId, channelId })
        .meta({ description: 'To those who are in the room: a participant left it.' }),
    ),
  ),
  participant_changed: forGuests(
    serverEvent(() =>
      roomParticipant().meta({
        description:
          'To everyone in the room: a participant has a new name, shows another picture, or became silent or is no longer.',
      }),
    ),
  ),
  room_changed: forGuests(
    serverEvent(() =>
      roomChannel().meta({ description: 'To everyone in the room: its channel was renamed or has another talk mode.' }),
    ),
  ),
  userConnected: serverEvent(() =>
    z.object({ userIds: z.array(userId) }).meta({
      description: 'To administrators and members of a common channel: the first socket of these users connected.',
    }),
  ),
  onUserStatusChanged: serverEvent(() =>
    statusNews().meta({
      description:
        'To administrators and members of the channels: who is connected and in which room, as patches to lists.',
    }),
  ),
  // Rule GUEST10.
  room_closed: forGuests(
    serverEvent(() =>
      z.object({ channelId, reason: z.enum(['removed', 'deleted', 'signed_out', 'link_ended']) }).meta({
        description:
          "The receiver's socket was removed from its room, with the reason. `link_ended`: the link of this guest ended.",
      }),
    ),
  ),
  changed: serverEvent(() =>
    z
      .object({
        what: z.enum(['channels', 'users', 'memberships', 'guests']),
        channelId: channelId.optional(),
        userIds: z.array(userId).max(MEMBERS_NAMED_MAX).optional().meta({
          description:
            "With `users` and `memberships`: the users whose rows these are, each known to the receiver. Left out, the rows may be anybody's.",
        }),
        isGone: z
          .literal(true)
          .optional()
          .meta({ description: "The channel was deleted: its own lists can't be read any more." }),
      })
      .meta({ description: 'Lists of these objects should be read again. Sent only to users who may see the change.' }),
  ),
};
