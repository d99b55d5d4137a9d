/*
 * Frames between libfreshet and its helper, over one stream socket pair; they
 * have the form of those of readers (crawler/sandbox/reader_protocol.h), and
 * other types.  Numbers are as in base/wire.h.
 *
 *	u32 length of payload | u8 type | payload
 *
 *	text    u32 0 for NULL, or u32 length + 1, bytes, NUL
 *	texts   u32 count, texts
 *	place   text url | text final_url | texts proofs
 *
 * The library sends a request and takes all its replies before it sends the
 * next one.  The helper trusts no request in what is foreign (URLs, headers,
 * bodies), and ends at a frame that makes no sense.  The library trusts no
 * reply in lengths, counts and NULs.
 *
 * Requests, each with the replies to it:
 *
 *	OPEN            once, first: u32 LIBRARY_PROTOCOL |
 *	                u8 sandbox is required | u64 memory_bytes | u32 cpu_s |
 *	                u32 wall_ms | u32 documents_each | text scratch_dir
 *	    READY
 *	DOCUMENT        scope; then BODY..., BODY_END
 *	    READING, ENTRY..., END
 *	JUDGE           scope | text url | u8 is_child
 *	    VERDICT
 *	ROBOTS          u32 id | text agent | text profile;
 *	                then BODY..., BODY_END
 *	    FACTS
 *	ROBOTS_ASK      u32 id | text url
 *	    VERDICT_ROBOTS
 *	ROBOTS_DROP     u32 id
 *	    no reply
 *
 *	scope           place | place of the index (url NULL: none) |
 *	                u32 depth | texts listed | texts own | text profile |
 *	                texts switches | text content_type |
 *	                text content_encoding | u64 now_s | u64 listed_s |
 *	                u64 modified_s | u32 checks | u8 is_truncated
 *
 * Replies:
 *
 *	READY           u32 LIBRARY_PROTOCOL | u8 has_sandbox
 *	FAILED          instead of any other: u8 enum freshet_status | text why
 *	READING         u8 kind | text failure | text refusal |
 *	                u8 is_complete | u64 seen | u64 accepted |
 *	                u64 entries | u64 decoded_bytes | u32 gzip_layers |
 *	                u8 are_alternates_cut | findings
 *	ENTRY           text url | text refusal | u32 ordinal | u64 lastmod_s |
 *	                u32 nanos | u8 precision | u8 has_zone |
 *	                u8 changefreq | u8 priority + 1 | u32 extensions |
 *	                u32 count of alternates, each: text language | text url
 *	VERDICT         text url | text refusal | text exception
 *	FACTS           u32 rules | u32 delay_ms | u32 count of sitemaps,
 *	                each: u32 line, text url | findings
 *	VERDICT_ROBOTS  u8 is_allowed | u32 line | text rule
 *
 *	findings        u32 count | u32 samples in all | each: text code,
 *	                severity, meaning, remedy, rule | u64 count |
 *	                u32 samples, each: u32 line, text
 */
#ifndef FRESHET_LIBRARY_PROTOCOL_H
#define FRESHET_LIBRARY_PROTOCOL_H

/* Library and helper are installed together; this number finds out where they
 * were not.  Increase it with every change of a frame. */
#define LIBRARY_PROTOCOL 2

#define LIBRARY_FD 3 /* the helper's end of the socket */
#define LIBRARY_HEAD 5
#define LIBRARY_FRAME_MAX (16u << 20)
#define LIBRARY_BODY_BYTES (64u << 10) /* of one BODY frame, at most */

enum library_request {
	LIBRARY_OPEN = 16,
	LIBRARY_DOCUMENT,
	LIBRARY_BODY,
	LIBRARY_BODY_END,
	LIBRARY_JUDGE,
	LIBRARY_ROBOTS,
	LIBRARY_ROBOTS_ASK,
	LIBRARY_ROBOTS_DROP
};

enum library_reply {
	LIBRARY_READY = 64,
	LIBRARY_FAILED,
	LIBRARY_READING,
	LIBRARY_ENTRY,
	LIBRARY_END,
	LIBRARY_VERDICT,
	LIBRARY_FACTS,
	LIBRARY_VERDICT_ROBOTS
};

#endif
