/* An empty program around one folder's library, to see that it links. */

int
main(void)
{
	return 0;
}
