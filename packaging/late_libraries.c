/* An empty program that needs the libraries that freshet loads by itself. */

int
main(void)
{
	return 0;
}
